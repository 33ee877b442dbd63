import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { DEFAULT_VENUE } from '../domain/venue.ts';
import type { GatesOpen } from '../gates/simulator/simulate.ts';
import { readEventId, readTimeZone, readVenueSetting } from '../server/board-config.ts';
import { CommandLineEnd } from '../server/command-line.ts';
import { errorMessage } from '../database/setup-error.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { assertCanListen } from '../server/listening.ts';
import { SettingReader } from '../server/setting-reader.ts';
import { readWebhookSettings } from '../desk/webhook/webhook-settings.ts';
import { prepareDemo } from './demo/demo-data.ts';
import { deskLink } from './demo/desk-link.ts';
import { endingWithUs } from './demo/ending-with-us.ts';
import { describeFleet } from './demo/fleet/describe-fleet.ts';
import { type Fleet, startFleet } from './demo/fleet/fleet.ts';
import { readFleetOptions } from './demo/fleet/options.ts';
import { MatchClock } from './demo/match-clock.ts';
import { setMatchTimes } from './demo/match-times.ts';

/** `npm run demo:fleet`: a board served by many processes, and spectators that come in. */

const GATES = fileURLToPath(new URL('../gates/main.js', import.meta.url));
const TITLE = 'Palestra × Atlético';
/** Exceeds the sum of all other stop limits, so that PostgreSQL is stopped as well. */
const STOP_LIMIT_MS = 30_000;
const SPECTATORS_STOP_LIMIT_MS = 1_000;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommandLineEnd) return error.say();
  print(error instanceof OperatorError ? error.message : inspect(error));
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const { speed } = readFleetOptions(args);
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!signal.aborted) print('Stopping...');
      setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
      stopping.abort();
    });
  }
  const settings = new SettingReader(process.env);
  const [host, port] = [settings.text('HOST') ?? '127.0.0.1', settings.port('PORT', 3000)];
  const [eventId, venue = DEFAULT_VENUE] = [readEventId(settings, 'postgres'), readVenueSetting(settings)];
  const givenKey = settings.secret('DESK_KEY');
  const deskKey = givenKey ?? randomBytes(12).toString('hex');
  if (port === 0) settings.faults.push('PORT is 0: give the port at which nginx is to listen');
  // Counters and edges would otherwise be restarted in vain over a wrong setting.
  readTimeZone(settings.text('TIME_ZONE'), settings.faults);
  const webhook = { url: settings.text('ALARM_WEBHOOK_URL'), secret: settings.text('ALARM_WEBHOOK_SECRET') };
  readWebhookSettings({ ...webhook, hasDesk: true }, settings.faults);
  if (settings.faults.length > 0) throw new OperatorError(settings.faults.join('\n'));
  await assertCanListen([{ host, port, prefix: '' }]);
  let fleet: Fleet;
  try {
    fleet = await startFleet({
      dataDir: settings.text('DATA_DIR'),
      host,
      port,
      counterSettings: {
        SIMULATED: 'yes',
        ...given(['EVENT_ID', 'TIME_ZONE', 'VENUE_FILE', 'ALARM_WEBHOOK_URL', 'ALARM_WEBHOOK_SECRET']),
      },
      edgeSettings: {
        EVENT_TITLE: TITLE,
        SIMULATED: 'yes',
        DESK_KEY: deskKey,
        ...given(['EVENT_ID', 'EVENT_TITLE', 'TIME_ZONE', 'VENUE_FILE']),
        TRUST_PROXY: '127.0.0.1',
      },
      natsServerPath: settings.text('NATS_SERVER_PATH') ?? 'nats-server',
      nginxPath: settings.text('NGINX_PATH') ?? 'nginx',
      speed,
      onDatabases: ({ primary }) => prepareDemo(primary, { eventId, venue, signal, print }),
      signal,
      print,
    });
  } catch (error) {
    // Everything that had been started is stopped.
    if (signal.aborted) return 0;
    throw error;
  }
  try {
    const boardUrl = `http://${host}:${port}`;
    const desk =
      givenKey === undefined
        ? { link: deskLink(boardUrl, deskKey), key: deskKey }
        : { link: `${boardUrl}/fluxo`, key: 'that of DESK_KEY' };
    print(await describeFleet(fleet, { boardUrl, desk }));
    await admitSpectators(fleet, eventId, speed, signal);
  } finally {
    await fleet.stop();
  }
  return 0;
}

/** Picks those settings of the environment that are not empty. */
function given(names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, process.env[name]?.trim() ?? ''] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/** Resolves once `signal` aborts. */
async function admitSpectators(
  fleet: Fleet,
  eventId: string,
  speed: string,
  signal: AbortSignal,
): Promise<void> {
  const { gatesUrl, folder, primary } = fleet.pair;
  const [program, ...args] = [...endingWithUs(), process.execPath, GATES];
  const spectators = spawn(program, [...args, 'simulate', '--reset', '--speed', speed], {
    env: { ...process.env, GATES_DATABASE_URL: gatesUrl, DATA_DIR: folder, TRIAGEM_DEMO: '1' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  spectators.on('message', ({ gatesOpenAtMs }: GatesOpen) => {
    const begun = { gatesOpenAtMs, receivedAtMs: Date.now() };
    fleet.matchBegan(begun);
    const gatesOpenMs = new MatchClock(Number(speed)).open(begun.gatesOpenAtMs, begun.receivedAtMs);
    const title = process.env['EVENT_TITLE']?.trim() || TITLE;
    setMatchTimes(primary.gatesUrl, { eventId, title, gatesOpenMs }).catch((error: unknown) =>
      print(`The desk does not know when the match begins: ${errorMessage(error)}`),
    );
  });
  const [code, killedBy] = await endOf(spectators, signal);
  if (signal.aborted) return;
  if (killedBy !== null) print(`The spectators stopped, by ${killedBy}.`);
  else if (code !== 0) print('The spectators stopped, as reported above.');
  print('The board stays until Ctrl-C.');
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

async function endOf(
  spectators: ChildProcess,
  signal: AbortSignal,
): Promise<readonly [number | null, NodeJS.Signals | null]> {
  const ended = once(spectators, 'exit');
  const stop = (): void => {
    spectators.kill('SIGTERM');
    setTimeout(() => spectators.kill('SIGKILL'), SPECTATORS_STOP_LIMIT_MS).unref();
  };
  signal.addEventListener('abort', stop);
  const exit = (await ended) as [number | null, NodeJS.Signals | null];
  signal.removeEventListener('abort', stop);
  return exit;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
