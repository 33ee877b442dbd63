import type { Logger } from 'pino';
import type { CountsPart, DetailsPart, DocumentsPart, IncompletePart } from '../../domain/event-state.ts';
import { encodeState } from './encode.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
import { PieceQueue } from './piece-queue.ts';
import type { StatePartName, Subjects } from './subjects.ts';
import { NO_DOCUMENTS, type OtherPart, type PartVersion, type Sender } from './wire.ts';

export interface StateSenderOptions {
  readonly from: Sender;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish'>;
  readonly log: Logger;
}

/** A part of a state, and the digest of its content. */
export interface Versioned<Part> {
  readonly state: Part;
  readonly digest: string;
  /** It is not tried again: encoding it takes as long each time. */
  isTooLarge?: boolean;
}

interface OtherParts {
  readonly documents: Versioned<DocumentsPart> | undefined;
  readonly details: Versioned<DetailsPart> | undefined;
  readonly incomplete: Versioned<IncompletePart> | undefined;
}

/** Publishes one part of a state on its subject: at once where it is one message, and paced where it is many pieces. */
export class StateSender {
  readonly #options: StateSenderOptions;
  readonly #pieces: PieceQueue;
  readonly #log: LogOnce;
  #sent = 0;

  constructor(options: StateSenderOptions) {
    this.#options = options;
    this.#log = new LogOnce(options.log);
    this.#pieces = new PieceQueue((subject, bytes) => options.link.publish(subject, bytes));
  }

  /** Parts so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Counts, with the versions of the other parts of their event. Returns how many bytes left at once. */
  sendCounts(state: CountsPart, parts: OtherParts | undefined): number {
    const { from } = this.#options;
    const documents = parts?.documents
      ? versionOf(parts.documents)
      : { position: state.position, digest: NO_DOCUMENTS };
    const details = parts?.details && versionOf(parts.details);
    const incomplete = parts?.incomplete && versionOf(parts.incomplete);
    const message = { from, state, documents, details, incomplete };
    return this.#send(state.eventId, 'counts', () => encodeState(message));
  }

  /** Returns how many bytes left at once. */
  sendPart(part: Versioned<OtherPart>): number {
    if (part.isTooLarge) return 0;
    const { from } = this.#options;
    const { state, digest } = part;
    const bytes = this.#send(state.eventId, state.part, () => encodeState({ from, state, digest }));
    if (bytes === 0) part.isTooLarge = true;
    return bytes;
  }

  /** Whether some of its pieces are still to leave. */
  isUnderWay({ state: { eventId, part } }: Versioned<OtherPart>): boolean {
    const { subjects, from } = this.#options;
    return this.#pieces.has(subjects.state({ counter: from.counter, eventId, part }));
  }

  stop(): void {
    this.#pieces.stop();
  }

  #send(eventId: string, part: StatePartName, encode: () => Buffer[]): number {
    const { link, subjects, from } = this.#options;
    const subject = subjects.state({ counter: from.counter, eventId, part });
    try {
      const messages = encode();
      const [only, ...more] = messages;
      if (more.length > 0) this.#pieces.add(subject, messages);
      else if (only) link.publish(subject, only);
      this.#sent += 1;
      // Pieces have a pace of their own.
      return only?.length ?? 0;
    } catch (error) {
      const which = { eventId, part };
      this.#log.error('state', `${eventId} ${part}`, { err: error, ...which }, 'a state cannot be published');
      return 0;
    }
  }
}

function versionOf({ state, digest }: Versioned<OtherPart>): PartVersion {
  return { position: state.position, digest };
}
