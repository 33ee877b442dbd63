import type { Logger } from 'pino';
import type { CountsPart, DetailsPart, DocumentsPart, IncompletePart } from '../../domain/event-state.ts';
import { encodeState } from './encode.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
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
}

interface OtherParts {
  readonly documents: Versioned<DocumentsPart> | undefined;
  readonly details: Versioned<DetailsPart> | undefined;
  readonly incomplete: Versioned<IncompletePart> | undefined;
}

/** Publishes one part of a state on its subject. */
export class StateSender {
  readonly #options: StateSenderOptions;
  readonly #log: LogOnce;
  #sent = 0;

  constructor(options: StateSenderOptions) {
    this.#options = options;
    this.#log = new LogOnce(options.log);
  }

  /** Parts so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Counts, with the versions of the other parts of their event. Returns how many bytes it took. */
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

  /** Returns how many bytes it took. */
  sendPart({ state, digest }: Versioned<OtherPart>): number {
    const { from } = this.#options;
    return this.#send(state.eventId, state.part, () => encodeState({ from, state, digest }));
  }

  #send(eventId: string, part: StatePartName, encode: () => Buffer): number {
    const { link, subjects, from } = this.#options;
    try {
      const message = encode();
      link.publish(subjects.state({ counter: from.counter, eventId, part }), message);
      this.#sent += 1;
      return message.length;
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
