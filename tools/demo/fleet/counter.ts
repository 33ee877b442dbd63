import { inspect } from 'node:util';
import { pino } from 'pino';
import { OperatorError } from '../../../domain/operator-error.ts';
import { startCounter } from '../../../server/fleet/counter.ts';
import { readRoleConfig } from '../../../server/roles/role-config.ts';
import { MatchClock } from '../match-clock.ts';

/** The message to the counters when the gates open; both times are in Unix milliseconds. */
export interface MatchBegun {
  readonly gatesOpenAtMs: number;
  /** The clocks of all counters run faster from then on. */
  readonly receivedAtMs: number;
}

/** A counter like that of `npm start`. Once the gates are open, the clock of its flow runs SPEED times faster. */
const { SPEED = '1', ...env } = process.env;
const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, process.stdout);

try {
  const config = readRoleConfig(env);
  if (config.role !== 'counter') throw new Error(`ROLE is "${config.role}", which is no counter's`);
  const clock = new MatchClock(Number(SPEED));
  process.on('message', ({ gatesOpenAtMs, receivedAtMs }: MatchBegun) =>
    clock.open(gatesOpenAtMs, receivedAtMs),
  );
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
