/**
 * Finds Google's Firestore emulator, which no npm package contains: the jar of FIRESTORE_EMULATOR_JAR, else that of the
 * Google Cloud CLI, else that of firebase-tools. Nothing is downloaded here.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const SETTING = 'FIRESTORE_EMULATOR_JAR';
/** Installs the emulator; it needs Java. */
const COMMAND = 'npx --yes firebase-tools@14.27.0 setup:emulators:firestore';
const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const COMPONENT_JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';
/** Further folders of the Google Cloud CLI, beside the home folder and that of `gcloud` on PATH. */
const CLOUD_CLI_FOLDERS = [
  '/usr/lib/google-cloud-sdk',
  '/usr/share/google-cloud-sdk',
  '/usr/local/share/google-cloud-sdk',
  '/opt/google-cloud-sdk',
  '/opt/homebrew/share/google-cloud-sdk',
];
const DOWNLOADED_JAR = /^cloud-firestore-emulator-v(\d+)\.(\d+)\.(\d+)\.jar$/;

/**
 * @param {{ env?: NodeJS.ProcessEnv, home?: string, cloudCliFolders?: readonly string[] }} [machine] the places to look in; by
 *   default those of this machine
 * @returns {string[]} the command that runs the emulator, without options such as `--port`
 * @throws {Error} with the command that installs it
 */
export function firestoreEmulatorCommand({
  env = process.env,
  home = homedir(),
  cloudCliFolders = CLOUD_CLI_FOLDERS,
} = {}) {
  const named = env[SETTING];
  if (named && !existsSync(named)) throw new Error(`${SETTING} is ${named}, which is not there.`);
  const gcloud = onPath(env, 'gcloud');
  const cloudClis = [
    ...(gcloud ? [dirname(dirname(realpathSync(gcloud)))] : []),
    ...cloudCliFolders,
    join(home, 'google-cloud-sdk'),
  ];
  const component = cloudClis.map((folder) => join(folder, COMPONENT_JAR)).find(existsSync);
  const jar =
    named ||
    component ||
    newestDownload(env.FIREBASE_EMULATORS_PATH || join(home, '.cache/firebase/emulators'));
  if (!jar) {
    throw new Error(
      `The Firestore emulator is not here. Install it with "${COMMAND}" (or with "gcloud components install ` +
        `cloud-firestore-emulator"), or set ${SETTING} to its jar.`,
    );
  }
  const javaHome = env.JAVA_HOME && join(env.JAVA_HOME, 'bin/java');
  const java = javaHome && existsSync(javaHome) ? javaHome : onPath(env, 'java');
  if (!java) {
    throw new Error(
      'The Firestore emulator needs Java 17 or newer. Install it (on Debian: apt-get install openjdk-17-jre-headless), ' +
        'or set JAVA_HOME.',
    );
  }
  return [java, '-Duser.language=en', '-cp', jar, MAIN_CLASS, 'start'];
}

function newestDownload(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => DOWNLOADED_JAR.test(name)) : [];
  const [newest] = names.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return newest && join(folder, newest);
}

function onPath({ PATH = '' }, name) {
  const folders = PATH.split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(existsSync);
}
