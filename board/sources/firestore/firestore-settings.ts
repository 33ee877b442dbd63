/** Where the tickets of a Firebase project are, and who reads them. */
export interface FirestoreSettings {
  readonly kind: 'firestore';
  /** The project's ID. */
  readonly project: string;
  readonly database: string;
  /** The path of the collection of tickets; `{event}` stands for the event's ID. */
  readonly collection: string;
  readonly credentials: FirestoreCredentials;
  /** `host:port` of the emulators; `undefined`: the services of Google. */
  readonly emulatorHost: string | undefined;
  readonly authEmulatorHost: string | undefined;
  /** Where the resume token is kept with its memory; `undefined`: nowhere. */
  readonly dataDir: string | undefined;
}

export type FirestoreCredentials =
  /** The path of a service account's key file. */
  | { readonly kind: 'service-account'; readonly file: string }
  /** An account of the project, which its security rules apply to. */
  | { readonly kind: 'account'; readonly apiKey: string; readonly email: string; readonly password: string }
  /** The emulator's owner, whom no rule applies to; there is none at the services of Google. */
  | { readonly kind: 'emulator-owner' };
