import { randomBytes } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { type FirestoreStandIn, startFirestoreStandIn } from '../../../../testing/firestore/stand-in.ts';
import { openForEach } from '../../../../testing/open-for-tests.ts';
import { runProgram } from '../../../../testing/server/program.ts';
import { until } from '../../../../testing/until.ts';
import type { FirestoreSettings } from '../firestore-settings.ts';
import { type ProbeOptions, type ProbeOutcome, probeProject } from './probe-project.ts';
import { problemsOf, reportOf } from './probe-report.ts';

const EVENT = 'final-2026';
const [PROBES, EVERY_MS] = [10, 20];
/** These, what they differ by, and both together: no answer takes as many milliseconds. */
const [TICKETS, ENTERED] = [23_457, 10_987];
const NUMBERS = new Set([TICKETS, ENTERED, TICKETS - ENTERED, 2 * TICKETS]);

const standIn = openForEach(() => startFirestoreStandIn({ heartbeatMs: 50 }));
const project = openForEach(() => ({ name: `palestra-${randomBytes(6).toString('hex')}` }));

function sell(tickets: number, entered: number): void {
  const documents = Array.from({ length: tickets }, (_, n) => {
    const ticket = { isValidTicket: true, entrou: n < entered, setor: '4', holder: 'Ana Souza' };
    return [`events/${EVENT}/tickets/barcode-${n}`, ticket] as const;
  });
  standIn.commit(project.name, new Map(documents));
  standIn.commit(project.name, new Map([[`events/${EVENT}/sectors/4`, { gates: ['N1'] }]]));
  standIn.commit(project.name, new Map([[`events/${EVENT}`, { title: 'Palestra × Atlético' }]]));
}

function probe(options: Partial<ProbeOptions> = {}): Promise<ProbeOutcome> {
  const settings: FirestoreSettings = {
    kind: 'firestore',
    project: project.name,
    database: '(default)',
    collection: 'events/{event}/tickets',
    credentials: { kind: 'emulator-owner' },
    emulatorHost: standIn.host,
    authEmulatorHost: undefined,
    dataDir: undefined,
  };
  return probeProject({
    settings,
    eventId: EVENT,
    probes: PROBES,
    everyMs: EVERY_MS,
    answerLimitMs: 60_000,
    progress: () => {},
    signal: new AbortController().signal,
    ...options,
  });
}

/** Does something to the stand-in while the stream is cut. */
function whenCut(fault: (of: FirestoreStandIn['faults']) => void): Partial<ProbeOptions> {
  return { progress: (line) => line.includes('cut') && fault(standIn.faults) };
}

describe('a probe of a project', () => {
  test('finds that probes are answered, the stream continues, and counts agree', async () => {
    sell(100, 40);
    const { findings, reads } = await probe();
    expect(findings.probes.answersMs).toHaveLength(PROBES);
    expect(findings).toMatchObject({
      probes: { unanswered: 0 },
      resumption: { wasReset: false, filter: 'equal', sentAgain: 'none', hadRemovals: false },
      counts: { different: 0, refusal: undefined },
      targets: { tickets: 'allowed', sectors: 'allowed', event: 'allowed' },
      ends: [],
    });
    expect(findings.counts.tookMs.length).toBeGreaterThan(1);
    expect(problemsOf(findings)).toEqual([]);
    // Our meter takes a resumed query without a change for one document, where the stand-in takes it for none.
    expect(reads - standIn.reads).toBe(1);
    await until(() => expect(standIn.streams).toBe(0));
  });

  test('finds what is sent again, changed and removed after a cut', async () => {
    sell(100, 40);
    const reset = await probe(whenCut((faults) => faults.expireResumeTokens()));
    expect(reset.findings.resumption).toMatchObject({ wasReset: true, sentAgain: 'all' });
    const path = `events/${EVENT}/tickets/barcode-`;
    const changed = await probe(
      whenCut(() => {
        standIn.commit(project.name, new Map([[`${path}1`, undefined]]));
        standIn.commit(project.name, new Map([[`${path}99`, { entrou: true, setor: '4' }]]));
      }),
    );
    expect(changed.findings.resumption).toMatchObject({
      wasReset: false,
      filter: 'equal',
      sentAgain: 'none',
      hadRemovals: true,
    });
    const different = await probe(whenCut((faults) => faults.mismatchFilters(1)));
    expect(different.findings.resumption).toMatchObject({ filter: 'different' });
    const refused = await probe({
      progress(line) {
        if (line.startsWith('the stream is cut')) standIn.faults.refuseTargets(status.INVALID_ARGUMENT);
        else if (line.startsWith('it does not go on')) standIn.faults.restore();
      },
    });
    expect(refused.findings).toMatchObject({ resumption: 'refused', ends: ['INVALID_ARGUMENT'] });
  });

  test('finds heartbeats of an idle stream', async () => {
    sell(1, 0);
    const stopping = new AbortController();
    const { findings } = await probe({
      probes: 1_000,
      progress: (line) => line.startsWith('50 of') && stopping.abort(),
      signal: stopping.signal,
    });
    expect(findings.idle.gapsMs.length).toBeGreaterThan(0);
    expect(findings.resumption).toBe('not tried');
    await until(() => expect(standIn.streams).toBe(0));
  });

  test('finds probes that nobody answers, which does no harm where counts are', async () => {
    sell(100, 40);
    standIn.faults.failCalls(status.UNIMPLEMENTED, 'RunAggregationQuery');
    let isHeld = false;
    const hold = (line: string): void => {
      if (isHeld || !line.startsWith('5 of')) return;
      isHeld = true;
      standIn.faults.holdTargets();
    };
    const stopping = new AbortController();
    const unanswered = await probe({
      answerLimitMs: 100,
      progress: (line) => (line.includes('cut') ? stopping.abort() : hold(line)),
      probes: 20,
      signal: stopping.signal,
    });
    expect(unanswered.findings.probes.unanswered).toBeGreaterThan(0);
    expect(unanswered.findings.counts).toMatchObject({ refusal: 'UNIMPLEMENTED', tookMs: [] });
    expect(problemsOf(unanswered.findings)).toEqual([expect.stringContaining('neither probes nor counts')]);
    const answered = { ...unanswered.findings, counts: { ...unanswered.findings.counts, tookMs: [1] } };
    expect(problemsOf(answered)).toEqual([]);
    expect(problemsOf({ ...answered, counts: { ...answered.counts, different: 1 } })).toHaveLength(1);
  });

  test('reports that nothing answers, and where', async () => {
    standIn.faults.failCalls(status.UNAVAILABLE);
    await expect(probe()).rejects.toThrow('Firestore is unavailable');
    await until(() => expect(standIn.streams).toBe(0));
  });

  test('reports without names, IDs and numbers of tickets', async () => {
    sell(TICKETS, ENTERED);
    const { findings } = await probe(whenCut((faults) => faults.expireResumeTokens()));
    const report = reportOf(findings, 'Triagem 1.0.0');
    expect(report).toContain('result: a board can follow this project');
    const whole = JSON.stringify(findings, (_, value: unknown) =>
      typeof value === 'number' ? Math.round(value) : value,
    );
    for (const text of [report, whole]) {
      for (const secret of [project.name, EVENT, 'barcode', 'Ana', 'Palestra', 'N1'])
        expect(text).not.toContain(secret);
      const numbers = text.match(/\d+(?:[,.]\d{3})*/g)?.map((number) => Number(number.replaceAll(/\D/g, '')));
      expect(numbers?.filter((number) => NUMBERS.has(number))).toEqual([]);
    }
  });
});

test('npm run firestore -- probe names the settings that it lacks, and refuses what it does not know', async () => {
  const without = runProgram('firestore', ['probe'], {});
  expect(await without.ended).toBe(1);
  expect(without.stderr()).toContain('FIRESTORE_PROJECT is missing');
  const unknown = runProgram('firestore', ['probe', '--seconds', '9'], {});
  expect([await unknown.ended, unknown.stdout()]).toEqual([2, '']);
});
