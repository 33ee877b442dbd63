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

/** A folder of each test's own, and the process that watches it. */
export interface WatchedFolder {
  readonly path: (name: string) => string;
  /** Not yet watching. Files are whole that have not changed for a second. */
  readonly start: (...args: string[]) => Program;
  readonly startWatching: (...args: string[]) => Promise<Program>;
  /** Checks that it ends as it should, and leaves no lock behind. */
  readonly stop: (program: Program, signal?: NodeJS.Signals) => Promise<void>;
  /** Writes a file as a writer should, under another name first. */
  readonly drop: (name: string, ...lines: string[]) => void;
  /** Lets no report of a file of this name be written into `done`, until `path` of it is removed. */
  readonly blockReport: (name: string) => string;
  readonly read: (name: string) => string;
  /** The names in it, or in a folder of it, but what belongs to the watcher. */
  readonly list: (name?: string) => string[];
  /** Resolves once this file is there. */
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
  const start: WatchedFolder['start'] = (...args) => {
    const program = runProgram('gates', ['watch', folder, '--settle', '1', ...args], {
      GATES_DATABASE_URL: tool.database.gatesUrl,
    });
    running.push(program);
    return program;
  };
  return {
    path,
    start,
    async startWatching(...args) {
      const program = start(...args);
      await until(() => expect(program.stdout(), program.stderr()).toMatch('Watching '), 30_000);
      return program;
    },
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
      const said = (): string => program.stdout() + program.stderr();
      await until(() => expect(existsSync(path(name)), said()).toBe(true), 30_000);
    },
  };
}
