import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../testing/folder.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';

interface Machine {
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly cloudCliFolders: readonly string[];
}

const script = pathToFileURL(join(PROJECT_ROOT, 'tools/firestore-emulator.mjs')).href;
const { firestoreEmulatorCommand } = (await import(script)) as {
  firestoreEmulatorCommand: (machine: Machine) => string[];
};

const COMPONENT = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';
const CACHE = 'home/.cache/firebase/emulators';

/** Returns the jar that is found on a machine with these files; those in `path` are on its PATH. */
function jarOn(files: readonly string[], env: Readonly<Record<string, string>> = {}): string | undefined {
  const folder = makeTestFolder(Object.fromEntries(['path/java', ...files].map((path) => [path, ''])));
  if (files.includes('cli/bin/gcloud')) symlinkSync('../cli/bin/gcloud', join(folder, 'path/gcloud'));
  const own = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, join(folder, path)]));
  const [java, ...options] = firestoreEmulatorCommand({
    env: { PATH: join(folder, 'path'), ...own },
    home: join(folder, 'home'),
    cloudCliFolders: [join(folder, 'packaged')],
  });
  expect(java).toMatch(/\/java$/);
  return options[options.indexOf('-cp') + 1]?.replace(`${folder}/`, '');
}

test('the emulator is the one of the setting, else that of the Cloud CLI, else the newest of firebase-tools', () => {
  const old = `${CACHE}/cloud-firestore-emulator-v1.9.1.jar`;
  const newest = `${CACHE}/cloud-firestore-emulator-v1.19.8.jar`;
  const downloads = [old, newest, `${CACHE}/pubsub-emulator-v2.0.0.jar`];
  const packaged = `packaged/${COMPONENT}`;
  const beside = ['cli/bin/gcloud', `cli/${COMPONENT}`];
  expect(jarOn(downloads)).toBe(newest);
  expect(jarOn([...downloads, packaged])).toBe(packaged);
  expect(jarOn([...downloads, packaged, ...beside])).toBe(`cli/${COMPONENT}`);
  const named = { FIRESTORE_EMULATOR_JAR: 'own.jar' };
  expect(jarOn([...downloads, packaged, ...beside, 'own.jar'], named)).toBe('own.jar');
  expect(jarOn(['cache/cloud-firestore-emulator-v1.0.0.jar'], { FIREBASE_EMULATORS_PATH: 'cache' })).toBe(
    'cache/cloud-firestore-emulator-v1.0.0.jar',
  );
  expect(jarOn([old, 'jdk/bin/java'], { JAVA_HOME: 'jdk', PATH: 'none' })).toBe(old);
});

test('where there is no emulator or no Java, the one command that brings it is named', () => {
  expect(() => jarOn([])).toThrow(/"npx --yes firebase-tools@\S+ setup:emulators:firestore"/);
  expect(() => jarOn([], { FIRESTORE_EMULATOR_JAR: 'none.jar' })).toThrow(/none\.jar, which is not there/);
  expect(() => jarOn([`packaged/${COMPONENT}`], { PATH: 'none' })).toThrow(/apt-get install openjdk-17/);
});
