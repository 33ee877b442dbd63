import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { CommandLineEnd } from '../server/command-line.ts';
import { OperatorError } from '../server/errors.ts';
import { assertCanListen } from '../server/listening.ts';
import { SettingReader } from '../server/setting-reader.ts';
import { describeFleet } from './demo/fleet/describe-fleet.ts';
import { type Fleet, startFleet } from './demo/fleet/fleet.ts';
import { endingWithUs } from './demo/fleet/kept-process.ts';
import { readFleetOptions } from './demo/fleet/options.ts';

/** The process of `npm run demo:fleet`: the board as many machines serve it, and spectators that come in. */

const GATES = fileURLToPath(new URL('../gates/main.js', import.meta.url));
const TITLE = 'Palestra × Atlético';
const STOP_LIMIT_MS = 10_000;
const SPECTATORS_STOP_LIMIT_MS = 1_000;
/** The primary was killed, perhaps: they come again when there is another. */
const SPECTATORS_RETURN_MS = 3_000;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommandLineEnd) return error.say();
  say(error instanceof OperatorError ? error.message : inspect(error));
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const { speed } = readFleetOptions(args);
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!signal.aborted) say('Stopping...');
      setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
      stopping.abort();
    });
  }
  const settings = new SettingReader(process.env);
  const [host, port] = [settings.text('HOST') ?? '127.0.0.1', settings.port('PORT', 3000)];
  if (settings.faults.length > 0) throw new OperatorError(settings.faults.join('\n'));
  await assertCanListen([{ host, port, prefix: '' }]);
  const nginxPath = settings.text('NGINX_PATH');
  let fleet: Fleet;
  try {
    fleet = await startFleet({
      dataDir: settings.text('DATA_DIR'),
      host,
      port,
      counterSettings: given(['VENUE_FILE']),
      edgeSettings: {
        EVENT_TITLE: TITLE,
        SIMULATED: 'yes',
        ...given(['EVENT_ID', 'EVENT_TITLE', 'TIME_ZONE', 'VENUE_FILE']),
        ...(nginxPath === undefined ? {} : { TRUST_PROXY: '127.0.0.1' }),
      },
      natsServerPath: settings.text('NATS_SERVER_PATH') ?? 'nats-server',
      nginxPath,
      signal,
      say,
    });
  } catch (error) {
    // What had been started is stopped.
    if (signal.aborted) return 0;
    throw error;
  }
  try {
    const balancer = nginxPath === undefined ? 'a small balancer before two edges' : 'nginx before two edges';
    say(await describeFleet(fleet, `http://${host}:${port}`, balancer));
    await admitSpectators(fleet.pair.gatesUrl, fleet.pair.folder, speed, signal);
  } finally {
    await fleet.stop();
  }
  return 0;
}

/** Of the environment, what is set. */
function given(names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, process.env[name]?.trim() ?? ''] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/** Until it is stopped. */
async function admitSpectators(
  gatesUrl: string,
  dataDir: string,
  speed: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const [program, ...args] = [...endingWithUs(), process.execPath, GATES];
    const spectators = spawn(program, [...args, 'simulate', '--reset', '--speed', speed], {
      env: { ...process.env, GATES_DATABASE_URL: gatesUrl, DATA_DIR: dataDir },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const code = await endOf(spectators, signal);
    if (signal.aborted) return;
    if (code === 0) {
      say('The board stays until Ctrl-C.');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return;
    }
    say('The spectators stopped, as said above. They begin afresh as soon as they can.');
    await pause(SPECTATORS_RETURN_MS, undefined, { signal }).catch(() => {});
  }
}

async function endOf(spectators: ChildProcess, signal: AbortSignal): Promise<unknown> {
  const ended = once(spectators, 'exit');
  const stop = (): void => {
    spectators.kill('SIGTERM');
    setTimeout(() => spectators.kill('SIGKILL'), SPECTATORS_STOP_LIMIT_MS).unref();
  };
  signal.addEventListener('abort', stop);
  const [code] = (await ended) as [number | null];
  signal.removeEventListener('abort', stop);
  return code;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
