import postgres from 'postgres';
import { expect } from 'vitest';
import { urlsOf } from '../../database/embedded/embedded-database.ts';
import { openSecrets } from '../../database/embedded/secrets.ts';
import { closeOnce } from '../close-once.ts';
import type { DatabaseUrls } from '../database/database.ts';
import { freePort } from './free-port.ts';
import { makeTestDisk, type TestDisk } from '../database/disk.ts';
import { copyUsedDataFolder } from '../database/cluster.ts';
import { recount } from '../database/oracle.ts';
import { processesNaming, type Program, runProgram } from './program.ts';
import { openScreen } from '../browser/screen.ts';
import { EMAIL, KEY } from './server.ts';
import { untilReady } from './test-server.ts';
import { until } from '../until.ts';

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
  /** The address of its database, once it has been started. */
  readonly databaseUrls: () => Promise<DatabaseUrls>;
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
      await Promise.race([untilReady({ url }, 60_000), untilEnded(program)]);
      return program;
    },
    async gates(...args) {
      const program = run('gates', args);
      expect(await program.ended, program.stderr()).toBe(0);
      return program.stdout();
    },
    async databaseUrls() {
      const place = { folder: disk?.seenFromOutside ?? folder, cluster: '' };
      return urlsOf(databasePort, await openSecrets(place));
    },
  };
}

async function untilEnded({ ended, stderr }: Program): Promise<never> {
  throw new Error(`it ended with ${await ended}: ${stderr()}`);
}

/** `isUsed`: as a first start has left it. */
export async function makeDisk(options: {
  readonly isUsed: boolean;
  readonly megabytes: number;
}): Promise<TestDisk> {
  const { isUsed, megabytes } = options;
  const disk = await makeTestDisk({ megabytes });
  expectNothingRuns(disk.folder);
  if (isUsed) copyUsedDataFolder(disk.seenFromOutside);
  return disk;
}

/** Expects at the end of the test that no process runs in this folder any more. */
function expectNothingRuns(folder: string): void {
  closeOnce(() => until(() => expect(processesNaming(folder)).toEqual([])));
}

/** What a gate system writes with; closed with the test. */
export async function openGates({ databaseUrls }: Installation): Promise<postgres.Sql> {
  const sql = postgres((await databaseUrls()).gatesUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  closeOnce(() => sql.end());
  return sql;
}

/** The screen of a viewer who comes now equals a recount. */
export async function expectScreenExact(
  { url }: Pick<Installation, 'url'>,
  sql: postgres.Sql,
): Promise<void> {
  const screen = openScreen(url);
  await until(async () => {
    expect(screen.board.shown?.counts).toEqual(await recount(sql));
    expect(screen.live).toBe(true);
  }, 60_000);
}

/** It ends with one clear message, not a stack. */
export async function expectRefused({ ended, stderr }: Program, words: RegExp): Promise<void> {
  expect(await ended).toBe(1);
  expect(stderr()).toMatch(words);
  expect(stderr()).not.toMatch(/\n\s+at /);
}
