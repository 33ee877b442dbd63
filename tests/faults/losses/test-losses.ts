import { describe, test } from 'vitest';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openBeyondTest } from '../../../testing/close-once.ts';
import { openKeptResults } from './kept-results.ts';
import { Match, type Survived } from './match.ts';
import { LOSSES, type Row, type TopologyName } from './table.ts';
import type { Topology } from './topology.ts';

/** Tests the rows of one topology, one after the other, then all that was seen meanwhile. */
export function testLosses<Name extends TopologyName>(name: Name, open: () => Promise<Topology<Name>>): void {
  describe.each([name])('%s', () => {
    const started = openForAll(async () => {
      const topology = await open();
      return { topology, match: new Match(topology) };
    });
    const rows = (LOSSES[name] as readonly Row[]).filter(([, , , , , times]) => times > 0);
    test.each<Row>(rows)(
      '%s: screens %s; live within %i ms, epoch: %s, exact; minutes: %s; %i times, at %i commits/s',
      { timeout: 1_200_000 },
      // What a loss starts again serves the losses after it.
      async (...row) =>
        openBeyondTest(async () => {
          const [loss, , , , , times] = row;
          const kept = started.topology.heal ? openKeptResults(loss) : undefined;
          for (let time = kept?.count ?? 0; time < times; time += 1) {
            const survived = await expectSurvived(started.match, row);
            kept?.add(survived);
          }
        }),
    );

    test.each<[string, (match: Match) => Promise<void>]>([
      [
        'nothing wrong was displayed as live, and no screen has gone back',
        (match) => match.expectDisplayedRight(),
      ],
      ['the recorded minutes are those that SQL recounts', (match) => match.expectMinutes()],
      ['every command that was answered with success is in the log, once', (match) => match.expectCommands()],
      ['stopped while gates write, it leaves no slot and no session', (match) => match.expectEnd()],
    ])('after all of them: %s', (_what, expectOfMatch) => expectOfMatch(started.match));
  });
}

function expectSurvived(match: Match, row: Row): Promise<Survived> {
  return match.lose(row);
}
