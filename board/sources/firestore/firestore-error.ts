import { OperatorError } from '../../../domain/operator-error.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import { GRPC_CODE, type GrpcStatus } from './grpc-status.ts';

/** Why tickets cannot be observed in Firestore. The message names cause and fix, for the operator. */
export class FirestoreError extends OperatorError {
  override readonly name = 'FirestoreError';
  /** Whether a retry can help. Where not, somebody has to change something first. */
  readonly shouldRetry: boolean;
  /** A retry helps in minutes or hours, and may cost a document read. */
  readonly takesLong: boolean;
  /** Another token may be taken. */
  readonly isTokenRefused: boolean;

  constructor(
    message: string,
    options: { shouldRetry: boolean; takesLong?: boolean; isTokenRefused?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.shouldRetry = options.shouldRetry;
    this.takesLong = options.takesLong ?? !options.shouldRetry;
    this.isTokenRefused = options.isTokenRefused ?? false;
  }
}

/** Returns the error of a response that is not a message of the protocol, or is out of order. */
export function protocolError(what: string, cause?: unknown): FirestoreError {
  return new FirestoreError(
    `Firestore's stream cannot be read: ${what}. It is opened again; if that goes on, the address is not Firestore's, or a proxy changes it`,
    { shouldRetry: true, cause },
  );
}

interface Fault {
  readonly cause: string;
  readonly fix: string;
  readonly shouldRetry: boolean;
}

/** Explains a status of Firestore to the operator. `of`: what was requested. */
export function firestoreError(end: GrpcStatus, settings: FirestoreSettings, of: string): FirestoreError {
  // Our own end of the connection has refused it: nobody's quota is used up.
  if (isCode(end, GRPC_CODE.RESOURCE_EXHAUSTED) && end.message.startsWith('Received message larger'))
    return protocolError('a message is longer than any document');
  const { cause, fix, shouldRetry } = faultOf(end, settings, of);
  return new FirestoreError(`${cause}${detailOf(end)}: ${fix}`, {
    shouldRetry,
    takesLong: !shouldRetry || isCode(end, GRPC_CODE.RESOURCE_EXHAUSTED),
    isTokenRefused: isCode(end, GRPC_CODE.UNAUTHENTICATED),
  });
}

function faultOf({ code, message }: GrpcStatus, settings: FirestoreSettings, of: string): Fault {
  const { credentials, project, database, emulatorHost } = settings;
  const isAccount = credentials.kind === 'account';
  switch (code) {
    case GRPC_CODE.OK:
    case GRPC_CODE.ABORTED:
      return { cause: 'Firestore ended the stream', fix: 'it is opened again', shouldRetry: true };
    case GRPC_CODE.INVALID_ARGUMENT:
      return {
        cause: `Firestore does not accept the request for ${of}`,
        fix: isAccount
          ? 'correct FIRESTORE_COLLECTION; if the emulator does not know the token, set FIREBASE_AUTH_EMULATOR_HOST'
          : 'correct FIRESTORE_PROJECT, FIRESTORE_DATABASE and FIRESTORE_COLLECTION',
        shouldRetry: false,
      };
    case GRPC_CODE.NOT_FOUND:
      return {
        cause: `The project ${project} has no database ${database}`,
        fix: 'create it in the Firebase console, or correct FIRESTORE_PROJECT and FIRESTORE_DATABASE',
        shouldRetry: false,
      };
    case GRPC_CODE.PERMISSION_DENIED:
      return {
        cause: `Firestore refuses to let ${of} be read`,
        fix: isAccount
          ? 'let the security rules allow it to the account of FIREBASE_EMAIL, or correct FIRESTORE_COLLECTION'
          : 'give the service account the role Cloud Datastore Viewer, and enable the Cloud Firestore API',
        shouldRetry: false,
      };
    case GRPC_CODE.RESOURCE_EXHAUSTED:
      return {
        cause: `The project ${project} has used up its quota`,
        fix: 'raise it in the Google Cloud console, or enable billing; the free quota is renewed at midnight, Pacific time',
        shouldRetry: true,
      };
    case GRPC_CODE.FAILED_PRECONDITION:
      return {
        cause: `Firestore cannot do what ${of} needs`,
        fix: 'create the database in native mode, and leave the single-field indexes of entrou, setor and isValidTicket on',
        shouldRetry: false,
      };
    case GRPC_CODE.UNAUTHENTICATED:
      return {
        cause: 'Firestore refuses the credentials',
        fix: isAccount
          ? 'FIREBASE_API_KEY must be of the project of FIRESTORE_PROJECT'
          : 'the key in GOOGLE_APPLICATION_CREDENTIALS must be valid, and this clock must be right',
        shouldRetry: false,
      };
    case GRPC_CODE.DEADLINE_EXCEEDED:
    case GRPC_CODE.UNAVAILABLE:
      // Google's servers say so, too, when they move a stream.
      return message.startsWith('No connection') || message.startsWith('Name resolution')
        ? {
            cause: `Nobody answers at ${addressOf(settings)}`,
            fix:
              emulatorHost === undefined
                ? 'let the firewall pass it, or set https_proxy'
                : 'start the emulator, or correct FIRESTORE_EMULATOR_HOST',
            shouldRetry: true,
          }
        : { cause: 'Firestore is unavailable', fix: 'it is asked again', shouldRetry: true };
    default:
      return { cause: 'Firestore ended the stream', fix: 'it is opened again', shouldRetry: true };
  }
}

export function addressOf({ emulatorHost }: FirestoreSettings): string {
  return emulatorHost ?? 'firestore.googleapis.com:443';
}

/** No answer at all. */
export function silenceError(settings: FirestoreSettings): FirestoreError {
  return new FirestoreError(
    `No answer comes from ${addressOf(settings)}: the connection is lost, or Firestore stands still; it is asked again`,
    { shouldRetry: true },
  );
}

export function toFirestoreError(error: unknown): FirestoreError {
  if (error instanceof FirestoreError) return error;
  return new FirestoreError(`Observing failed (${error instanceof Error ? error.message : String(error)})`, {
    shouldRetry: true,
    cause: error,
  });
}

function isCode({ code }: GrpcStatus, wanted: number): boolean {
  return code === wanted;
}

const MAX_DETAIL_LENGTH = 200;

/** Removes times that grpc-js adds: the reason would differ at each attempt. */
const TIME_OF_ATTEMPT = /\s*\(\d{4}-\d\d-\d\dT[\d:.]+Z\)|\.? Resolution note:\s*$/g;

/** In Firestore's words, without a line's end; it names no document. */
function detailOf(end: GrpcStatus): string {
  const text = end.message.replaceAll(/\s+/g, ' ').trim();
  const words = text.replaceAll(TIME_OF_ATTEMPT, '').slice(0, MAX_DETAIL_LENGTH);
  return words === '' || isCode(end, GRPC_CODE.OK) ? '' : ` (${words})`;
}
