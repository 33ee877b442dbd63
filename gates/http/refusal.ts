import { STATUS_CODES } from 'node:http';
import { GatesError } from '../cli/errors.ts';
import { RETRY_AFTER_S } from './limits.ts';

/** Something about one message: `message` counts in the body, `line` is where it begins, both from 1. */
export interface MessageNote {
  readonly message: number;
  readonly line: number;
  /** Absent where it could not be read. */
  readonly id?: string;
  readonly detail?: string;
}

interface MessageErrors {
  readonly count: number;
  readonly first: readonly MessageNote[];
}

/** The answer to a request that changed nothing. */
export class Refusal extends GatesError {
  readonly status: number;
  readonly retryAfterS: number | undefined;
  readonly errors: MessageErrors | undefined;

  constructor(status: number, detail: string, more: { retryAfterS?: number; errors?: MessageErrors } = {}) {
    super(detail);
    this.status = status;
    this.retryAfterS = more.retryAfterS;
    this.errors = more.errors;
  }

  /** A problem document (RFC 9457). */
  toProblem() {
    const { status, message: detail, errors } = this;
    return {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? '',
      status,
      detail,
      ...(errors && { errorCount: errors.count, errors: errors.first }),
    };
  }
}

/** The fault is not the request's: it may succeed later. */
export function unavailable(detail: string): Refusal {
  return new Refusal(503, detail, { retryAfterS: RETRY_AFTER_S });
}
