import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { freePort } from '../server/database/embedded/free-port.ts';
import { makeTestDisk, type TestDisk } from './disk.ts';
import { processesNaming, type Program, runProgram } from './program.ts';
import { EMAIL, KEY } from './server.ts';
import { until } from './until.ts';

/** `npm start` with the database that it brings, on a data folder of a test's own. */
export interface Installation {
  readonly url: string;
  readonly databasePort: number;
  readonly folder: string;
  readonly run: (program?: string, ...args: string[]) => Program;
  /** Runs until it is live. */
  start(): Promise<Program>;
}

export async function install(folder: string, disk?: TestDisk): Promise<Installation> {
  const [port, databasePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const run = (name = 'start', ...args: string[]): Program => {
    const program = runProgram(name, args, environment(port, databasePort, folder), disk?.enter);
    onTestFinished(async () => {
      program.child.kill('SIGTERM');
      await program.ended;
    });
    return program;
  };
  return {
    url,
    databasePort,
    folder,
    run,
    async start() {
      const program = run();
      await untilReady(program, url);
      return program;
    },
  };
}

function environment(port: number, databasePort: number, folder: string): Record<string, string> {
  return {
    PORT: String(port),
    EMBEDDED_DATABASE_PORT: String(databasePort),
    DATA_DIR: folder,
    DASHBOARD_EMAIL: EMAIL,
    DASHBOARD_KEY: KEY,
  };
}

function untilReady({ child, stderr }: Program, url: string): Promise<void> {
  return until(async () => {
    expect(child.exitCode, stderr()).toBeNull();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }, 30_000);
}

/** A data folder that a first start has made: where a test is about what comes later, it begins with a copy. */
let used: string;

/** To be called by a test file that begins with a copy. */
export function prepareUsedFolder(): void {
  beforeAll(async () => {
    used = mkdtempSync(join(tmpdir(), 'triagem-used-'));
    // As root, PostgreSQL runs as another account, which must get in.
    chmodSync(used, 0o755);
    const port = await freePort();
    const program = runProgram('start', [], environment(port, await freePort(), used));
    await untilReady(program, `http://127.0.0.1:${port}`);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  afterAll(() => rmSync(used, { recursive: true, force: true }));
}

function copyUsed(folder: string): void {
  execFileSync('cp', ['-a', `${used}/.`, folder]);
}

export function makeFolder({ isUsed }: { readonly isUsed: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-faults-'));
  chmodSync(folder, 0o755);
  onTestFinished(async () => {
    await expectNothingRuns(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  if (isUsed) copyUsed(folder);
  return folder;
}

export async function makeDisk({ isUsed }: { readonly isUsed: boolean }): Promise<TestDisk> {
  const disk = await makeTestDisk({ megabytes: 400 });
  onTestFinished(() => expectNothingRuns(disk.folder));
  if (isUsed) copyUsed(disk.seenFromOutside);
  return disk;
}

/** To be registered before anything is run: what comes first is called last when a test has finished. */
function expectNothingRuns(folder: string): Promise<void> {
  return until(() => expect(processesNaming(folder)).toEqual([]));
}
