import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import type { TestDatabase } from '../../../testing/database/database.ts';
import { type Network, startNetwork } from '../../../testing/server/network.ts';
import type { FlowSpeed } from '../../../testing/desk/recorded-flow.ts';
import {
  promote,
  startStandby,
  startTestPair,
  type TestPair,
  untilCaughtUp,
} from '../../../testing/database/standby.ts';
import {
  keepTicketHistory,
  openTicketHistory,
  type TicketHistory,
} from '../../../testing/sources/ticket-history.ts';
import type { TestHost } from '../../../testing/fleet/hosts.ts';
import { startTicketWriter } from '../../../testing/database/ticket-writer.ts';
import { unixNow, until } from '../../../testing/until.ts';
import type { Operators } from '../../flow/operators.ts';
import { type Inflict, MATCH_SPEED } from './topology.ts';

/** Tickets that only the writer of a promotion lets in. */
const TICKETS = 20_000;
/** How many of them are in before the primary is killed. */
const BEFORE_KILL = 400;

/** A primary and its standby, which change places with every promotion, and the match in them. */
export interface PairInMatch {
  /** As they are now. */
  readonly pair: TestPair;
  readonly database: TestDatabase;
  readonly history: TicketHistory;
  readonly clock: FlowSpeed;
  /** The standby leads from now on. */
  promoteStandby(): Promise<void>;
  /** The former primary comes back as a standby. */
  changePlaces(): Promise<void>;
  /** Under commits the primary is killed, and its standby promoted. */
  readonly promoteUnderCommits: Inflict;
  /** The primary is killed after entries that its standby has not got. */
  promoteBehind(operators: () => Operators): Inflict;
}

export async function startPairInMatch(hosts?: readonly [TestHost, TestHost]): Promise<PairInMatch> {
  let link: Network | undefined;
  const throughLink = async (url: string): Promise<string> => (link = await startNetwork(url)).url;
  let pair = await startTestPair(hosts ? { hosts } : { link: throughLink });
  await keepTicketHistory(pair.primary.database);
  await pair.primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 'p' || n, true, false, '4' from generate_series(1, ${TICKETS}) n`;
  await untilCaughtUp(pair);
  let nextTicket = 1;

  const changePlaces = async (): Promise<void> => {
    const { primary, standby } = pair;
    await startStandby(standby, primary, hosts ? undefined : await throughLink(primary.database.adminUrl));
    await untilCaughtUp(pair);
  };
  const leader = (): TestDatabase => pair.primary.database;
  return {
    get pair() {
      return pair;
    },
    get database() {
      return leader();
    },
    history: {
      recount: (options) => openTicketHistory(leader()).recount(options),
      commits: (eventId) => openTicketHistory(leader()).commits(eventId),
      clockRuns: (setBy) => openTicketHistory(leader()).clockRuns(setBy),
    },
    clock: { sinceMs: Date.now(), speed: MATCH_SPEED },
    async promoteStandby() {
      const { primary, standby } = pair;
      await promote(standby);
      pair = { primary: standby, standby: primary };
    },
    changePlaces,
    async promoteUnderCommits({ begins, counts, stopGates, untilStale, wrote }) {
      const { primary, standby } = pair;
      await stopGates();
      const urls = [primary, standby].map(({ database }) => database.gatesUrl);
      const writer = startTicketWriter({ urls, prefix: 'p', first: nextTicket, everyMs: 3 });
      const entered = async ({ database }: typeof primary): Promise<number> => {
        const [{ count }] = await database.admin<[{ count: number }]>`
          select count(*)::int as count from tickets
          where entrou and id like 'p%' and substring(id from 2)::int >= ${nextTicket}`;
        return count;
      };
      await until(async () => expect(await entered(primary)).toBeGreaterThan(BEFORE_KILL));
      begins();
      const killedAtMs = unixNow();
      await primary.signalAll('SIGKILL');
      await untilStale();
      await promote(standby);
      pair = { primary: standby, standby: primary };
      counts();
      return async () => {
        const backAtMs = unixNow();
        const commits = await writer.stop();
        // What the new primary has not got is gone for good.
        const lost = commits.length - (await entered(standby));
        wrote([...commits, { begunAtMs: killedAtMs, committedAtMs: backAtMs, change: -lost }]);
        nextTicket += commits.length;
        await changePlaces();
      };
    },
    promoteBehind:
      (operators) =>
      async ({ begins, counts, stopGates, untilStale }) => {
        const { primary, standby } = pair;
        await stopGates();
        await untilCaughtUp(pair);
        link?.cut();
        const { answered } = operators();
        const before = answered.size;
        await until(() => expect(answered.size).toBeGreaterThan(before + 2));
        const [{ rows }] = await standby.database.admin<[{ rows: number }]>`
          select count(*)::int as rows from triagem.log where kind = 'occurrence'`;
        expect(rows).toBeLessThan(answered.size);
        begins();
        await primary.signalAll('SIGKILL');
        await untilStale();
        const { refused } = operators();
        await until(() => expect(operators().refused).toBeGreaterThan(refused));
        await promote(standby);
        pair = { primary: standby, standby: primary };
        counts();
        const writer = startTicketWriter({
          urls: [standby.database.gatesUrl],
          prefix: 'p',
          first: nextTicket,
          everyMs: 3,
        });
        return async () => {
          nextTicket += (await writer.stop()).length;
          await changePlaces();
        };
      },
  };
}
