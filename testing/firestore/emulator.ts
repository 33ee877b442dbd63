import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeOnce } from '../close-once.ts';
import { makeTestFolder } from '../folder.ts';
import { freePort } from '../server/free-port.ts';
import { endingWithUs } from '../../tools/demo/ending-with-us.ts';
import { type Program, startProgram } from '../server/program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { until } from '../until.ts';

/** Google's Firestore emulator on a port of its own, which stays the same when it is started again. */
export interface FirestoreEmulator {
  /** `host:port`, as FIRESTORE_EMULATOR_HOST names it. */
  readonly host: string;
  readonly url: string;
  /** The output since the start. */
  readonly log: string;
  /** Replaces the security rules of a project, also while clients listen. */
  setRules(project: string, rules: string): Promise<void>;
  /** Removes all documents of a project, or those below a path such as `events/e`; 40,000 tickets take 20 s. */
  clear(project: string, path?: string): Promise<void>;
  /** Writes the documents of a project to files, and returns what `start` reads them from. */
  exportData(project: string): Promise<string>;
  /** Its process stands still (SIGSTOP) until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Kills it. Its documents are lost. */
  kill(): Promise<void>;
  /** Starts it again, empty or with exported documents; resolves once it answers. */
  start(exported?: string): Promise<void>;
}

/** Everybody may read and write everything. */
export const OPEN_RULES = rules('true');

/** Only this account may read, and nobody may write; the emulator's owner may do everything, whatever the rules. */
export function rulesForAccount(email: string): string {
  return rules('false', `request.auth.token.email == '${email}'`);
}

/** The security rules of a project, as conditions for writing and for reading. */
export function rules(write: string, read = write): string {
  return `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /{document=**} {
      allow read: if ${read};
      allow write: if ${write};
    }
  }
}
`;
}

/** A Java virtual machine takes seconds to begin, more on a busy machine. */
const START_LIMIT_MS = 60_000;
/** It runs for seconds, beside others: one compiler and one collector are the least that it costs. */
const JAVA_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx768m'];

// Plain JavaScript: it serves the scripts that run before there is a build.
const script = pathToFileURL(join(PROJECT_ROOT, 'tools/firestore-emulator.mjs')).href;
const { firestoreEmulatorCommand } = (await import(script)) as { firestoreEmulatorCommand: () => string[] };

/**
 * Starts the emulator; ended with the test, or with the file where `openForAll` opens it. Resolves once it answers. Each
 * project in it is apart from the others, so that a test needs no emulator of its own.
 */
export async function startFirestoreEmulator({ initialRules = OPEN_RULES } = {}): Promise<FirestoreEmulator> {
  const [java = '', ...main] = firestoreEmulatorCommand();
  const folder = makeTestFolder({ 'firestore.rules': initialRules });
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const url = `http://${host}`;
  let running: Program | undefined;
  let exports = 0;

  const current = (): Program => {
    assert.ok(running, 'the emulator does not run');
    return running;
  };
  const ask = async (path: string, method: string, body?: unknown): Promise<void> => {
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.equal(answer.status, 200, `${method} ${path}: ${await answer.text()}`);
  };
  const kill = async (): Promise<void> => {
    await running?.end('SIGKILL');
    running = undefined;
  };
  closeOnce(kill);

  const emulator: FirestoreEmulator = {
    host,
    url,
    get log() {
      return current().stdout() + current().stderr();
    },
    async setRules(project, content) {
      const files = [{ name: 'firestore.rules', content }];
      await ask(`/emulator/v1/projects/${project}:securityRules`, 'PUT', { rules: { files } });
    },
    clear: (project, path) =>
      ask(
        `/emulator/v1/projects/${project}/databases/(default)/documents${path === undefined ? '' : `/${path}`}`,
        'DELETE',
      ),
    async exportData(project) {
      const name = `export-${(exports += 1)}`;
      const database = `projects/${project}/databases/(default)`;
      await ask(`/emulator/v1/projects/${project}:export`, 'POST', {
        database,
        export_directory: folder,
        export_name: name,
      });
      return join(folder, name, `${name}.overall_export_metadata`);
    },
    freeze: () => void current().child.kill('SIGSTOP'),
    thaw: () => void current().child.kill('SIGCONT'),
    kill,
    async start(exported) {
      assert.equal(running, undefined, 'the emulator runs already');
      const options = [
        '--host=127.0.0.1',
        `--port=${port}`,
        `--rules=${join(folder, 'firestore.rules')}`,
        ...(exported === undefined ? [] : [`--seed_from_export=${exported}`]),
      ];
      const [program = '', ...args] = [...endingWithUs(), java, ...JAVA_OPTIONS, ...main, ...options];
      running = startProgram(program, args, { cwd: folder });
      await until(async () => {
        assert.equal(current().child.exitCode, null, emulator.log);
        assert.equal((await fetch(url)).status, 200);
      }, START_LIMIT_MS);
    },
  };
  await emulator.start();
  return emulator;
}
