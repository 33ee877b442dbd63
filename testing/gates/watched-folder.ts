import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { GatesTool } from './gates-tool.ts';
import { type Program, runProgram } from '../server/program.ts';
import { until } from '../until.ts';

const HEADER = 'id,isValidTicket,entrou,setor\n';
const LOCK = '.triagem-watch';

/** A new folder for each test, and the process that watches it with a settle time of one second. */
export interface WatchedFolder {
  readonly path: (name: string) => string;
  /** Starts the process; it may not watch yet. */
  readonly start: (...args: string[]) => Program;
  readonly startWatching: (...args: string[]) => Promise<Program>;
  /** Starts the process over this connection string. */
  readonly startOver: (gatesUrl: string, ...args: string[]) => Promise<Program>;
  /** Starts the process beside the embedded databases of this data folder. */
  readonly startBeside: (dataDir: string) => Promise<Program>;
  /** Expects exit code 0, and that no lock is left. */
  readonly stop: (program: Program, signal?: NodeJS.Signals) => Promise<void>;
  /** Writes a file under another name first, and renames it. */
  readonly drop: (name: string, ...lines: string[]) => void;
  /** Blocks the report of this file in `done`. Returns the path whose removal unblocks it. */
  readonly blockReport: (name: string) => string;
  readonly read: (name: string) => string;
  /** Lists the folder, or one in it, without what belongs to the watcher. */
  readonly list: (name?: string) => string[];
  /** Resolves once this file exists. */
  readonly isFiled: (name: string, program: Program) => Promise<void>;
}

export function useWatchedFolder(tool: GatesTool): WatchedFolder {
  const running: Program[] = [];
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tool.folder, 'in-'));
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  const path: WatchedFolder['path'] = (name) => join(folder, name);
  const run = (args: readonly string[], env: Readonly<Record<string, string>>): Program => {
    const program = runProgram('gates', ['watch', folder, '--settle', '1', ...args], env);
    running.push(program);
    return program;
  };
  const runOver = (gatesUrl: string, args: readonly string[]): Program =>
    run(args, { GATES_DATABASE_URL: gatesUrl });
  const start: WatchedFolder['start'] = (...args) => runOver(tool.database.gatesUrl, args);
  const untilWatching = async (program: Program): Promise<Program> => {
    await until(() => expect(program.stdout(), program.stderr()).toMatch('Watching '), 30_000);
    return program;
  };
  return {
    path,
    start,
    startWatching: (...args) => untilWatching(start(...args)),
    startOver: (gatesUrl, ...args) => untilWatching(runOver(gatesUrl, args)),
    startBeside: (dataDir) => untilWatching(run([], { DATA_DIR: dataDir })),
    async stop(program, signal = 'SIGTERM') {
      program.child.kill(signal);
      expect(await program.ended, program.stderr()).toBe(0);
      expect(existsSync(path(LOCK))).toBe(false);
    },
    drop(name, ...lines) {
      writeFileSync(path(`${name}.part`), `${HEADER}${lines.join('\n')}\n`);
      renameSync(path(`${name}.part`), path(name));
    },
    blockReport(name) {
      const report = path(`done/${name}.report.txt`);
      mkdirSync(report);
      return report;
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    list: (name = '.') =>
      readdirSync(path(name))
        .filter((one) => !['done', 'failed', LOCK].includes(one))
        .toSorted(),
    async isFiled(name, program) {
      const output = (): string => program.stdout() + program.stderr();
      await until(() => expect(existsSync(path(name)), output()).toBe(true), 30_000);
    },
  };
}
