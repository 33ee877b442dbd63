import { execFileSync } from 'node:child_process';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { makeTestDisk, type TestDisk } from './disk.ts';
import { makeTestFolder } from './folder.ts';
import { processesNaming, type Program, runProgram } from './program.ts';
import { EMAIL, KEY } from './server.ts';
import { untilReady } from './test-server.ts';
import { until } from './until.ts';

/** `npm start` with the database that it brings, on a data folder of a test's own. */
export interface Installation {
  readonly url: string;
  readonly databasePort: number;
  readonly folder: string;
  /** All of its environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** `changed`: settings that differ. Whatever runs ends with the test. */
  readonly run: (
    program?: string,
    args?: readonly string[],
    changed?: Readonly<Record<string, string>>,
  ) => Program;
  /** Runs until it is live. */
  start(): Promise<Program>;
  /** A command of the gates tool; its standard output, once it has succeeded. */
  readonly gates: (...args: string[]) => Promise<string>;
}

export async function install(folder: string, disk?: TestDisk): Promise<Installation> {
  const [port, databasePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    PORT: String(port),
    EMBEDDED_DATABASE_PORT: String(databasePort),
    DATA_DIR: folder,
    DASHBOARD_EMAIL: EMAIL,
    DASHBOARD_KEY: KEY,
  };
  const run: Installation['run'] = (name = 'start', args = [], changed = {}) =>
    runProgram(name, args, { ...settings, ...changed }, disk?.enter);
  return {
    url,
    databasePort,
    folder,
    settings,
    run,
    async start() {
      const program = run();
      await Promise.race([untilReady({ url }, 30_000), untilEnded(program)]);
      return program;
    },
    async gates(...args) {
      const program = run('gates', args);
      expect(await program.ended, program.stderr()).toBe(0);
      return program.stdout();
    },
  };
}

async function untilEnded({ ended, stderr }: Program): Promise<never> {
  throw new Error(`it ended with ${await ended}: ${stderr()}`);
}

/** A data folder that a first start has made: where a test is about what comes later, it begins with a copy. */
let used: string;

/** To be called by a test file that begins with a copy. */
export function prepareUsedFolder(): void {
  beforeAll(async () => {
    used = makeTestFolder();
    const program = await (await install(used)).start();
    expect(await program.end()).toBe(0);
  });
}

function copyUsed(folder: string): void {
  execFileSync('cp', ['-a', `${used}/.`, folder]);
}

export function makeFolder({ isUsed }: { readonly isUsed: boolean }): string {
  const folder = makeTestFolder();
  expectNothingRuns(folder);
  if (isUsed) copyUsed(folder);
  return folder;
}

export async function makeDisk({ isUsed }: { readonly isUsed: boolean }): Promise<TestDisk> {
  const disk = await makeTestDisk({ megabytes: 400 });
  expectNothingRuns(disk.folder);
  if (isUsed) copyUsed(disk.seenFromOutside);
  return disk;
}

/** Once the test is over, and what it ran has been ended. */
function expectNothingRuns(folder: string): void {
  onTestFinished(() => until(() => expect(processesNaming(folder)).toEqual([])));
}
