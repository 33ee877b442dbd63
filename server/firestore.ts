import { createRequire } from 'node:module';
import { readCommandLine, runProgram, wrongUsage } from './command-line.ts';
import { ConfigError } from './config-error.ts';
import { readEventId } from './board-config.ts';
import { productVersion } from './product-version.ts';
import { WEB_ROOT } from './roles/serving.ts';
import { SettingReader } from './setting-reader.ts';
import { readSourceSettings } from './source-settings.ts';
import type { FirestoreSettings } from '../board/sources/firestore/firestore-settings.ts';

/** The process of `npm run firestore`: it measures a real project, as no emulator can. */

const HELP = `Usage: npm run -s firestore -- probe [--seconds N]

Reads a Firestore project as a board does, for two minutes, and writes nothing to it. Standard output is a report without
names, IDs or numbers of tickets, for an issue of this project: how promptly Firestore answers, what it sends again after a
cut, whether its counts agree, and what the rules allow. Standard error reports the progress.

It reads each ticket once, and a second time where the project does not resume: a document read each, as Firestore bills
them. Exit code 1 if a board could not follow the project. Ctrl-C ends it early, with a report of what it has found.

  --seconds N  for so long, 10 to 3600 (default: 120)

Settings, as the board has them (docs/firestore.md):

  FIRESTORE_PROJECT               the project;  FIRESTORE_DATABASE, FIRESTORE_COLLECTION where they differ
  EVENT_ID                        the event
  GOOGLE_APPLICATION_CREDENTIALS  a service account, or
  FIREBASE_API_KEY, FIREBASE_EMAIL, FIREBASE_PASSWORD  an account of the project
`;

const PROGRAM = 'npm run -s firestore';
const DEFAULT_SECONDS = '120';
const [MIN_SECONDS, MAX_SECONDS] = [10, 3_600];
const PROBE_EVERY_MS = 2_000;
const ANSWER_LIMIT_MS = 5_000;
const STOPPED_EXIT_CODE = 130;

// The reader of the output may end first.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
await runProgram(run, 'The probe has failed');

async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = readCommandLine(args, {
    program: PROGRAM,
    help: HELP,
    options: { seconds: { type: 'string', default: DEFAULT_SECONDS } },
    takesNames: true,
  });
  if (positionals.join(' ') !== 'probe') throw wrongUsage('The only command is probe.', PROGRAM);
  const seconds = readSeconds(values.seconds);
  const { settings, eventId } = readSettings(env);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
  const { probeProject } = await import('../board/sources/firestore/probe/probe-project.ts');
  const { problemsOf, reportOf } = await import('../board/sources/firestore/probe/probe-report.ts');
  try {
    const { findings, reads } = await probeProject({
      settings,
      eventId,
      probes: Math.round((seconds * 1_000) / PROBE_EVERY_MS),
      everyMs: PROBE_EVERY_MS,
      answerLimitMs: ANSWER_LIMIT_MS,
      progress: say,
      signal: stopped.signal,
    });
    say(`${reads} document reads, which tell how many tickets there are: not in the report`);
    process.stdout.write(reportOf(findings, versions()));
    if (stopped.signal.aborted) return STOPPED_EXIT_CODE;
    return problemsOf(findings).length === 0 ? 0 : 1;
  } catch (error) {
    if (stopped.signal.aborted) return STOPPED_EXIT_CODE;
    throw error;
  }
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (seconds >= MIN_SECONDS && seconds <= MAX_SECONDS) return seconds;
  throw wrongUsage(`--seconds is "${text}": give ${MIN_SECONDS} to ${MAX_SECONDS}.`, PROGRAM);
}

function readSettings(env: NodeJS.ProcessEnv): {
  readonly settings: FirestoreSettings;
  readonly eventId: string;
} {
  const reader = new SettingReader(env);
  reader.needed('FIRESTORE_PROJECT', 'name the Firebase project to probe');
  const settings = readSourceSettings(reader);
  const eventId = readEventId(reader, 'firestore');
  if (settings.kind !== 'firestore' || reader.faults.length > 0) throw new ConfigError(reader.faults);
  return { settings, eventId };
}

function versions(): string {
  const require = createRequire(import.meta.url);
  const versionOf = (manifest: string): string => (require(manifest) as { readonly version: string }).version;
  const grpc = versionOf('@grpc/grpc-js/package.json');
  return `Triagem ${productVersion(WEB_ROOT)}, Node ${process.version}, @grpc/grpc-js ${grpc}, ${process.platform} ${process.arch}`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
