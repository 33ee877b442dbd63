import { status } from '@grpc/grpc-js';

/** What a call is refused with; `details` is the name by which @grpc/grpc-js sends the message. */
export class StatusError extends Error {
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** Whatever a client asks that the stand-in does not play. */
export function notPlayed(what: string): StatusError {
  return new StatusError(status.UNIMPLEMENTED, `The stand-in for Firestore does not play ${what}.`);
}

export function statusOf(error: unknown): StatusError {
  return error instanceof StatusError ? error : new StatusError(status.INTERNAL, String(error));
}
