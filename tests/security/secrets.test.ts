import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../server/database/embedded/free-port.ts';
import { type Program, runProgram } from '../../testing/program.ts';
import { EMAIL } from '../../testing/server.ts';
import { until } from '../../testing/until.ts';

const SESSION_SECRET = 'a-session-secret-of-32-characters';

let dataDir: string;
let env: Record<string, string>;
const commandLines = new Set<string>();
let watch: NodeJS.Timeout;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'triagem-secrets-'));
  chmodSync(dataDir, 0o755);
  const [port, databasePort] = [await freePort(), await freePort()];
  env = {
    PORT: `${port}`,
    EMBEDDED_DATABASE_PORT: `${databasePort}`,
    DATA_DIR: dataDir,
    DASHBOARD_EMAIL: EMAIL,
    SESSION_SECRET,
  };
  // initdb lives for half a second.
  watch = setInterval(readCommandLines, 5);
});

afterAll(() => {
  clearInterval(watch);
  rmSync(dataDir, { recursive: true, force: true });
});

/** What any account of this machine sees with `ps`. */
function readCommandLines(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      commandLines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      // It has ended.
    }
  }
}

test.skipIf(!existsSync('/proc/self/cmdline'))(
  'no secret stands on a command line, in a log, or in a file that others read',
  async () => {
    const server = runProgram('start', [], env);
    const programs: Program[] = [];
    const gates = async (...args: string[]): Promise<Program> => {
      const program = runProgram('gates', args, env);
      programs.push(program);
      expect(await program.ended, program.stderr()).toBe(0);
      return program;
    };
    try {
      await until(async () => {
        expect(server.child.exitCode, server.stderr()).toBeNull();
        expect((await fetch(`http://127.0.0.1:${env['PORT']}/readyz`)).status).toBe(200);
      }, 40_000);
      const file = join(dataDir, 'tickets.csv');
      writeFileSync(file, 'id,isValidTicket,entrou,setor\na,true,false,4\n');
      await gates('import', file);
      await gates('enter');
      const url = new URL((await gates('url')).stdout().trim());
      const made = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
      const secrets = [...Object.values(made), SESSION_SECRET];
      expect(secrets).toContain(url.password);
      expect(secrets.length).toBeGreaterThan(5);

      // The watch saw the short-lived as well.
      const seen = [...commandLines].join('\n');
      expect(seen).toContain('initdb');
      expect(seen).toContain('import');
      // `url` is asked for the password, and prints it for that.
      const printed = [server, ...programs.slice(0, 2)]
        .map(({ stdout, stderr }) => stdout() + stderr())
        .join('');
      for (const secret of secrets) {
        expect(seen.includes(secret)).toBe(false);
        expect(printed.includes(secret)).toBe(false);
      }
      for (const name of ['secrets.json', 'gates.json', 'gates.pgpass']) {
        expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
      }
    } finally {
      server.child.kill('SIGTERM');
      await server.ended;
    }
  },
);
