import { inspect } from 'node:util';
import { pino } from 'pino';
import { OperatorError } from '../../../domain/operator-error.ts';
import { startCounter } from '../../../server/fleet/counter.ts';
import { readRoleConfig } from '../../../server/roles/role-config.ts';
import { MatchClock } from '../match-clock.ts';

/** What the counters of a demonstration are told once its gates are open; both in Unix milliseconds. */
export interface MatchBegun {
  readonly gatesOpenAtMs: number;
  /** When that was heard: the clocks of all counters go faster from then on. */
  readonly heardAtMs: number;
}

/**
 * A counter as `npm start` runs it, but that the clock of its flow goes as fast as the match that is played: SPEED times, once
 * it is told that the gates are open.
 */
const { SPEED = '1', ...env } = process.env;
const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, process.stdout);

try {
  const config = readRoleConfig(env);
  if (config.role !== 'counter') throw new Error(`ROLE is "${config.role}", which is no counter's`);
  const clock = new MatchClock(Number(SPEED));
  process.on('message', ({ gatesOpenAtMs, heardAtMs }: MatchBegun) => clock.open(gatesOpenAtMs, heardAtMs));
  const counter = await startCounter(config, log, { flowClock: clock.read });
  const end = async (code: number): Promise<never> => {
    await counter.stop();
    process.exit(code);
  };
  process.once('SIGTERM', () => void end(0));
  await counter.observing.catch((error: unknown) => {
    log.error(error);
    return end(1);
  });
} catch (error) {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
  process.exit(1);
}
