import { describe, expect, test } from 'vitest';
import { WatchedGates } from '../../../testing/desk/watched-gates.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 19, 0);
/** Four sectors, and the others, whom nobody is. */
const CODES = ['1', '2', '3', '4', ''];

/** Watched from T−90 to T−60, `perMinute` at each sector. */
function gates(perMinute = 40, minutes = 30): WatchedGates {
  const watched = unwatched(6_000);
  watched.warmUp(minutes, all(perMinute));
  return watched;
}

function unwatched(valid: number, fromMinute = -90): WatchedGates {
  return new WatchedGates({ codes: CODES, valid, kickOffMs: KICK_OFF_MS, fromMinute });
}

function all(perMinute: number): number[] {
  return [perMinute, perMinute, perMinute, perMinute, 0];
}

function without(place: number, perMinute = 40): number[] {
  return all(perMinute).map((rate, at) => (at === place ? 0 : rate));
}

describe('a sector that stops', () => {
  test.each([
    { perMinute: 40, afterS: 120 },
    { perMinute: 15, afterS: 120 },
    { perMinute: 12, afterS: 150 },
    { perMinute: 6, afterS: 300 },
    { perMinute: 3, afterS: 600 },
  ])('from $perMinute a minute raises an alarm after $afterS s', ({ perMinute, afterS }) => {
    const watched = gates(perMinute);
    watched.pass(20, without(0, perMinute));
    const [alarm] = watched.state.alarms;
    expect(watched.alarmLog).toEqual(['stopped 1']);
    expect(alarm).toMatchObject({ rule: 'stopped', sector: '1', figures: { before: perMinute } });
    // An entry is due up to ten seconds after the last one, and less often where few come.
    const lateS = ((alarm?.sinceMs ?? 0) - KICK_OFF_MS) / 1_000 + 60 * 60 - afterS;
    expect(lateS).toBeGreaterThanOrEqual(-60 / perMinute);
    expect(lateS).toBeLessThanOrEqual(10);
  });

  test('under a mark raises an alarm once the mark is taken back, with the time of the last entry', () => {
    const watched = gates();
    const id = watched.say('mark', { mark: 'unscanned' }, '1');
    watched.pass(12, without(0));
    watched.say('take-back', { id });
    watched.pass(5, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1']);
    const silentSinceMs = KICK_OFF_MS - 60 * 60_000;
    expect(watched.state.alarms).toMatchObject([{ sector: '1', figures: { silentSinceMs, before: 40 } }]);
  });

  test('from less than two a minute raises no alarm', () => {
    const watched = gates(1.9);
    watched.pass(40, without(0, 1.9));
    expect(watched.alarmLog).toEqual([]);
  });

  test('has resumed once a minute brings a quarter of the base rate', () => {
    const watched = gates();
    watched.pass(4, without(0));
    watched.pass(5, [9, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual(['stopped 1']);
    watched.pass(2, [12, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual(['stopped 1', 'alarm-returned resolved']);
  });

  test('has not resumed when readings of turnstiles that were offline arrive', () => {
    const watched = gates();
    watched.pass(4, without(0));
    watched.lot(0, 400);
    watched.pass(5, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1']);
    // Of the one in which nobody ever entered, nothing can be said.
    expect(watched.evaluate().sectors).toEqual(['stopped', 'flowing', 'flowing', 'flowing', 'unknown']);
    // Fewer than a lot count as people who enter.
    watched.lot(0, 30);
    watched.pass(1, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1', 'alarm-returned resolved']);
  });

  test('that is practically full raises no alarm', () => {
    const watched = unwatched(1_300);
    watched.pass(31, all(40));
    watched.pass(10, without(0));
    expect(watched.alarmLog).toEqual([]);
  });

  test.each([
    { when: 'while it is watched', takeBack: (watched: WatchedGates) => watched.lot(0, -200) },
    {
      when: 'in a time without data',
      takeBack: (watched: WatchedGates) => watched.lose(2, [-100, 40, 40, 40, 0]),
    },
  ])(
    'that was full when readings were taken back, $when, raises no alarm: nobody has stopped coming',
    ({ takeBack }) => {
      const watched = unwatched(1_300);
      watched.pass(31, all(40));
      watched.pass(6, without(0));
      takeBack(watched);
      watched.pass(10, without(0));
      expect(watched.alarmLog).toEqual([]);
    },
  );

  test('is one where people enter, though more readings were taken back, also soon after the start', () => {
    const watched = unwatched(4_000);
    watched.pass(3, all(8));
    watched.lot(0, -30);
    watched.pass(0.5, all(8));
    expect(watched.evaluate().sectors[0]).toBe('flowing');
    watched.pass(3, without(0));
    expect(watched.evaluate().sectors[0]).not.toBe('flowing');
  });

  test('is no question where every ticket is in, also after a time without data', () => {
    const watched = unwatched(1_200);
    watched.warmUp(30, all(40));
    watched.lose(2, 0);
    expect(watched.evaluate().sectors).toEqual(['quiet', 'quiet', 'quiet', 'quiet', 'unknown']);
  });

  test('is unknown while there is no base rate, and not flowing', () => {
    const watched = unwatched(4_000);
    watched.pass(3, all(20));
    watched.pass(3, without(0));
    expect(watched.alarmLog).toEqual([]);
    expect(watched.evaluate().sectors[0]).toBe('unknown');
    expect(watched.evaluate().sectors[1]).toBe('flowing');
  });

  test('calls again five minutes after an acknowledgement without effect', () => {
    const watched = gates();
    watched.pass(3, without(0));
    watched.say('acknowledge', { alarm: watched.state.alarms[0]?.id ?? '', note: null });
    watched.pass(4.5, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1']);
    watched.pass(0.5, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1', 'alarm-again unresolved']);
    expect(watched.state.alarms[0]?.acknowledged).toBeNull();
  });

  test.each([null, 'acknowledged'])(
    'that stops again while it is suspended is in the log, calls nobody, and calls once the suspension ends: %s',
    (known) => {
      const watched = gates();
      watched.pass(3, without(0));
      const [first] = watched.state.alarms;
      if (known) watched.say('acknowledge', { alarm: first?.id ?? '', note: null });
      watched.say('suspend', { rule: 'stopped', minutes: 30, reason: 'troca de catraca' }, '1');
      watched.pass(12, all(40));
      expect(watched.alarmLog).toEqual(['stopped 1', 'alarm-returned resolved']);
      watched.pass(17.5, without(0));
      const again = known ? 'stopped 1' : 'alarm-again recurred';
      expect(watched.alarmLog.slice(2)).toEqual([again]);
      expect(watched.state.alarms).toMatchObject([{ isSilent: true, returnedAtMs: null }]);
      watched.pass(1, without(0));
      expect(watched.alarmLog.slice(2)).toEqual([again, 'alarm-again recurred']);
      expect(watched.state.alarms[0]?.isSilent).toBeUndefined();
      expect(watched.state.alarms[0]?.id === first?.id).toBe(known === null);
    },
  );

  test('again while it is suspended, and is acknowledged then, does not call when the suspension ends', () => {
    const watched = gates();
    watched.say('suspend', { rule: 'stopped', minutes: 5, reason: 'troca de catraca' }, '1');
    watched.pass(4, without(0));
    watched.say('acknowledge', { alarm: watched.state.alarms[0]?.id ?? '', note: null });
    watched.pass(4.5, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1']);
  });

  test('comes back before anybody has seen it: it is the same alarm', () => {
    const watched = gates();
    for (let time = 0; time < 2; time += 1) {
      watched.pass(4, without(0));
      watched.pass(12, all(40));
    }
    expect(watched.alarmLog).toEqual([
      'stopped 1',
      'alarm-returned resolved',
      'alarm-again recurred',
      'alarm-returned resolved',
    ]);
    expect(watched.state.alarms).toHaveLength(1);
  });
});

describe('three sectors that stop together', () => {
  test('are one alarm, which names them; a fourth joins it', () => {
    const watched = unwatched(6_000);
    watched.warmUp(30, [40, 30, 20, 6, 0]);
    watched.pass(4, [0, 0, 0, 0, 0]);
    expect(watched.alarmLog).toEqual(['several-stopped ground']);
    watched.pass(4, [0, 0, 0, 0, 0]);
    expect(watched.alarmLog).toEqual(['several-stopped ground', 'alarm-joined']);
    const [alarm] = watched.state.alarms;
    if (alarm?.rule !== 'several-stopped') throw new Error('no alarm of several sectors');
    expect(alarm.figures.sectors.map(({ sector }) => sector)).toEqual(['1', '2', '3', '4']);
  });

  test('have an alarm each while that rule is suspended, unless the suspended alarm named them', () => {
    const suspension = { rule: 'several-stopped', minutes: 30, reason: 'falta de luz' } as const;
    const before = gates();
    before.say('suspend', suspension);
    before.pass(4, [0, 0, 0, 40, 0]);
    expect(before.alarmLog).toEqual(['stopped 1', 'stopped 2', 'stopped 3']);

    const after = gates();
    after.pass(4, [0, 0, 0, 40, 0]);
    after.say('suspend', suspension);
    after.pass(4, [0, 0, 0, 0, 0]);
    expect(after.alarmLog).toEqual(['several-stopped ground', 'stopped 4']);
  });

  test('replace the alarms of two that stopped earlier', () => {
    const watched = gates();
    watched.pass(0.5, without(0));
    watched.pass(0.5, [0, 0, 40, 40, 0]);
    watched.pass(4, [0, 0, 0, 40, 0]);
    expect(watched.alarmLog).toEqual([
      'stopped 1',
      'stopped 2',
      'alarm-returned replaced',
      'alarm-returned replaced',
      'several-stopped ground',
    ]);
    expect(watched.state.alarms).toHaveLength(1);
  });

  test('of which two go on: the third has an alarm of its own', () => {
    const watched = gates();
    watched.pass(4, [0, 0, 0, 40, 0]);
    watched.pass(3, without(0));
    expect(watched.alarmLog).toEqual(['several-stopped ground', 'stopped 1', 'alarm-returned replaced']);
    watched.pass(3, all(40));
    expect(watched.alarmLog.slice(3)).toEqual(['alarm-returned resolved']);
  });

  test('raise the alarm again with their own names after it has returned for others', () => {
    const watched = gates();
    watched.pass(3, [0, 0, 0, 40, 0]);
    watched.pass(15, all(40));
    watched.pass(3, [40, 0, 0, 0, 0]);
    expect(watched.alarmLog).toEqual([
      'several-stopped ground',
      'alarm-returned resolved',
      'alarm-again recurred',
    ]);
    expect(JSON.stringify(watched.state.alarms[0]?.figures)).toMatch(/"2".*"3".*"4"/u);
    expect(JSON.stringify(watched.state.alarms[0]?.figures)).not.toContain('"1"');
  });

  test('and go on one after the other within a minute have no alarms of their own', () => {
    const watched = gates();
    watched.pass(4, [0, 0, 0, 40, 0]);
    watched.pass(0.5, [0, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual(['several-stopped ground']);
    watched.pass(3, all(40));
    expect(watched.alarmLog).toEqual(['several-stopped ground', 'alarm-returned resolved']);
  });

  test('but not within two minutes of each other are three', () => {
    const watched = gates();
    watched.pass(2.5, without(0));
    watched.pass(2.5, [0, 0, 40, 40, 0]);
    watched.pass(4, [0, 0, 0, 40, 0]);
    expect(watched.alarmLog).toEqual(['stopped 1', 'stopped 2', 'stopped 3']);
  });
});

describe('a sector into which fewer come', () => {
  test('raises an alarm, which returns when the flow is back at three quarters of the base', () => {
    const watched = gates();
    watched.pass(9, [12, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual(['dropped 1']);
    // The ten minutes before are low by then: what was usual is not what they say.
    watched.pass(15, [24, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual(['dropped 1']);
    watched.pass(9, [36, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual(['dropped 1', 'alarm-returned resolved']);
  });

  test('where fewer come everywhere is none', () => {
    const watched = gates();
    watched.pass(15, all(22));
    expect(watched.alarmLog).toEqual([]);
  });

  test('and then stops has only the alarm of the stop, and none of a drop after it', () => {
    const watched = gates();
    watched.pass(9, [12, 40, 40, 40, 0]);
    watched.pass(6, without(0));
    expect(watched.alarmLog).toEqual(['dropped 1', 'stopped 1', 'alarm-returned replaced']);
    watched.pass(12, [13, 40, 40, 40, 0]);
    expect(watched.alarmLog.slice(3)).toEqual(['alarm-returned resolved']);
  });
});

test('a drop of the whole ground raises no alarm after kick-off', () => {
  const late = gates();
  late.pass(60, all(40));
  late.pass(10, all(10));
  expect(late.alarmLog).toEqual([]);
});

test('the alarm of the whole ground returns after two minutes above three quarters of the base', () => {
  const watched = gates();
  watched.pass(6, all(10));
  watched.pass(8, all(28));
  expect(watched.alarmLog).toEqual(['ground-dropped ground']);
  const fromMs = watched.nowMs;
  watched.pass(6, all(34));
  expect(watched.alarmLog).toEqual(['ground-dropped ground', 'alarm-returned resolved']);
  const afterMs = (watched.log.at(-1)?.atMs ?? 0) - fromMs;
  expect(afterMs).toBeGreaterThanOrEqual(120_000);
  expect(afterMs).toBeLessThanOrEqual(310_000);
});

test('the alarm of the whole ground compares the same sectors on both sides, whichever is marked', () => {
  const watched = gates();
  watched.say('mark', { mark: 'elsewhere' }, '4');
  watched.pass(6, all(10));
  expect(watched.state.alarms[0]?.figures).toMatchObject({
    before: 115.5,
    bySector: { 1: 38.5, 2: 38.5, 3: 38.5, '': 0 },
  });
  watched.say('mark', { mark: 'unscanned' }, '1');
  watched.pass(1, [0, 10, 10, 40, 0]);
  const now = watched.evaluate().findings.find(({ rule }) => rule === 'ground-dropped');
  expect(now).toMatchObject({ verdict: 'holds', figures: { entered: 60, expected: 231, before: 77 } });
  watched.pass(6, [0, 36, 36, 40, 0]);
  expect(watched.alarmLog).toEqual(['ground-dropped ground', 'alarm-returned withdrawn']);
});

test('the alarm of the whole ground is withdrawn at kick-off', () => {
  const watched = gates();
  watched.pass(54, all(40));
  watched.pass(6, all(10));
  expect(watched.alarmLog).toEqual(['ground-dropped ground']);
  watched.pass(0.5, all(10));
  expect(watched.alarmLog).toEqual(['ground-dropped ground', 'alarm-returned withdrawn']);
});

describe('the permitted capacity', () => {
  test('is near, reached and exceeded: each level replaces the lower one, and waits for an acknowledgement', () => {
    const watched = gates();
    const capacities = [1_480, null, null, null, null];
    watched.know({ capacities });
    watched.pass(1, all(60));
    expect(watched.alarmLog).toEqual(['near-capacity 1']);
    watched.pass(3, [60, 40, 40, 40, 0]);
    watched.pass(2, [60, 40, 40, 40, 0]);
    expect(watched.alarmLog).toEqual([
      'near-capacity 1',
      'at-capacity 1',
      'alarm-returned replaced',
      'above-capacity 1',
      'alarm-returned replaced',
    ]);
    watched.know({ capacities: [2_500, null, null, null, null] });
    watched.pass(1, all(0));
    expect(watched.state.alarms).toMatchObject([{ rule: 'above-capacity', acknowledged: null }]);
    expect(watched.state.alarms[0]?.returnedAtMs).not.toBeNull();
    watched.say('acknowledge', { alarm: watched.state.alarms[0]?.id ?? '', note: 'portão fechado' });
    expect(watched.state.alarms).toEqual([]);
  });

  test('counts the estimate of those who passed unread, also once they are no longer', () => {
    const watched = gates(0);
    watched.know({ capacities: [1_000, null, null, null, null] });
    watched.lot(0, 200);
    const mark = watched.say('mark', { mark: 'unscanned' }, '1');
    watched.say('estimate', { mark, count: 790, how: 'a olho' }, '1');
    watched.pass(1, 0);
    expect(watched.state.alarms).toMatchObject([
      { rule: 'at-capacity', figures: { admitted: 200, capacity: 1_000, isAtLeast: true, estimated: 790 } },
    ]);
    watched.say('take-back', { id: mark, why: 'ended' });
    watched.lot(0, 20);
    watched.pass(1, 0);
    expect(watched.alarmLog).toEqual(['at-capacity 1', 'above-capacity 1', 'alarm-returned replaced']);
  });

  test('is exceeded no longer once all fit, and the next excess calls again', () => {
    const watched = gates(0);
    watched.know({ groundCapacity: 1_000 });
    watched.lot(0, 1_005);
    watched.pass(1, 0);
    watched.say('acknowledge', { alarm: watched.state.alarms[0]?.id ?? '', note: 'portão fechado' });
    watched.lot(0, -7);
    watched.pass(1, 0);
    const back = ['above-capacity ground', 'at-capacity ground', 'alarm-returned resolved'];
    expect(watched.alarmLog.toSorted()).toEqual(back.toSorted());
    expect(watched.state.alarms).toMatchObject([{ rule: 'at-capacity', acknowledged: null }]);
    watched.lot(0, 3);
    watched.pass(1, 0);
    expect(watched.state.alarms).toMatchObject([{ rule: 'above-capacity', acknowledged: null }]);
  });

  test('is exceeded in the log while "exceeded" is suspended, calls nobody, and calls when the suspension ends', () => {
    const watched = gates(0);
    watched.know({ groundCapacity: 1_000 });
    watched.say('suspend', { rule: 'above-capacity', minutes: 5, reason: 'sabido' });
    watched.lot(0, 1_000);
    watched.pass(1 / 6, 0);
    expect(watched.alarmLog).toEqual(['at-capacity ground']);
    watched.pass(1, 10);
    const exceeded = ['at-capacity ground', 'above-capacity ground', 'alarm-returned replaced'];
    expect(watched.alarmLog).toEqual(exceeded);
    expect(watched.state.alarms).toMatchObject([{ rule: 'above-capacity', isSilent: true }]);
    watched.pass(5, 10);
    expect(watched.alarmLog).toEqual([...exceeded, 'alarm-again recurred']);
    expect(watched.state.alarms[0]?.isSilent).toBeUndefined();
  });

  test('that is exceeded while this is suspended calls nobody after an evacuation either, as what it is', () => {
    const watched = gates(0);
    watched.know({ groundCapacity: 100 });
    watched.pass(1, all(40));
    watched.say('suspend', { rule: 'above-capacity', minutes: 15, reason: 'sabido' });
    const evacuation = watched.say('evacuation', {});
    watched.pass(1, 0);
    watched.say('take-back', { id: evacuation });
    watched.pass(1, 0);
    expect(watched.alarmLog).toEqual([
      'above-capacity ground',
      'alarm-returned withdrawn',
      'alarm-again recurred',
    ]);
    expect(watched.log.at(-1)?.data).toMatchObject({ isSilent: true });
  });

  test('that is removed retires its alarm', () => {
    const watched = gates(0);
    watched.know({ groundCapacity: 100 });
    watched.pass(1, all(40));
    watched.know({ groundCapacity: null });
    watched.pass(1, all(40));
    expect(watched.alarmLog).toEqual(['above-capacity ground', 'alarm-returned withdrawn']);
  });

  test('of the ground counts all sectors, and raises its alarm despite a mark', () => {
    const watched = gates(0);
    watched.say('mark', { mark: 'unscanned' }, '1');
    watched.pass(20, [40, 0, 0, 0, 10]);
    watched.know({ groundCapacity: 1_000 });
    watched.pass(1, [0, 0, 0, 0, 0]);
    expect(watched.alarmLog).toEqual(['at-capacity ground']);
    expect(watched.state.alarms).toMatchObject([{ figures: { isAtLeast: true } }]);
  });
});

test('the permitted capacity is not judged by counts that are not live, nor after an evacuation', () => {
  const watched = gates();
  watched.know({ groundCapacity: 100, staleForMs: 1 });
  watched.pass(1, all(40));
  expect(watched.alarmLog).toEqual([]);
  watched.know({ staleForMs: null });
  watched.pass(1, all(40));
  watched.know({ staleForMs: 1 });
  watched.pass(1, all(40));
  expect(watched.alarmLog).toEqual(['above-capacity ground']);
  watched.say('evacuation', {});
  watched.pass(1, all(40));
  expect(watched.alarmLog).toEqual(['above-capacity ground', 'alarm-returned withdrawn']);
});

describe('after kick-off', () => {
  test('a stop raises an alarm for a quarter of an hour if many have not come', () => {
    const watched = gates(40, 91);
    watched.pass(4, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1']);
    watched.pass(10.5, without(0));
    expect(watched.alarmLog).toEqual(['stopped 1', 'alarm-returned withdrawn']);
  });

  test('a sector in which most are in may have everybody in', () => {
    const watched = gates(53, 91);
    watched.pass(13, without(0));
    expect(watched.alarmLog).toEqual([]);
  });

  test('a sector in which most are in stops where many of them have no valid ticket, as others are to come', () => {
    const watched = gates(53, 91);
    watched.replace(0, 1_000);
    watched.pass(4, without(0, 53));
    expect(watched.alarmLog).toEqual(['stopped 1']);
  });

  test('the rules go on if the kick-off is postponed', () => {
    const watched = gates(40, 91);
    watched.pass(16, all(10));
    watched.say('kick-off', { kickOffAtMs: KICK_OFF_MS + 30 * 60_000 });
    watched.pass(4, without(0, 10));
    expect(watched.alarmLog).toEqual(['stopped 1']);
  });
});

describe('no data', () => {
  test('raises an alarm after half a minute; alarms of the flow stay as they are', () => {
    const watched = gates();
    watched.pass(3, without(0));
    watched.know({ staleForMs: 29_999 });
    watched.pass(1, all(40));
    expect(watched.alarmLog).toEqual(['stopped 1']);
    watched.know({ staleForMs: 30_000 });
    watched.pass(4, all(40));
    expect(watched.alarmLog).toEqual(['stopped 1', 'no-data ground']);
    watched.know({ staleForMs: null });
    watched.pass(2, all(40));
    expect(watched.alarmLog.slice(2)).toEqual(['alarm-returned resolved', 'alarm-returned resolved']);
  });

  test('raises no alarm about the time in which no server ran', () => {
    const watched = gates();
    watched.lose(10, all(40));
    watched.restart();
    watched.pass(5, all(40));
    expect(watched.alarmLog).toEqual([]);
    watched.know({ staleForMs: 30_000 });
    watched.pass(0.5, all(0));
    watched.lose(10, all(40));
    watched.restart();
    watched.know({ staleForMs: null });
    watched.pass(0.5, all(40));
    expect(watched.alarmLog).toEqual(['no-data ground', 'alarm-returned resolved']);
  });

  test('is none before the gates open, nor once the entry is closed', () => {
    const watched = unwatched(6_000, -130);
    watched.know({ staleForMs: 60_000 });
    watched.pass(9, 0);
    expect(watched.alarmLog).toEqual([]);
    watched.say('entry-closed', {});
    watched.pass(9, 0);
    expect(watched.alarmLog).toEqual([]);
  });
});
