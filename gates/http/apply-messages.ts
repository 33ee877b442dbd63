import { MAX_LISTED_WITHOUT_EFFECT } from './limits.ts';
import type { NumberedMessage } from './read-body.ts';
import type { TicketMessage } from './ticket-message.ts';

/** A ticket as the database has it, and what messages make of it. */
export interface Ticket {
  readonly id: string;
  isValid: boolean;
  entrou: boolean;
  setor: string;
  /** Of the newest message that was applied, of those that say when they were sent. */
  at: string | undefined;
  /** Differs from what the database has. */
  isChanged: boolean;
  isNewlyTimed: boolean;
}

/** What became of a message. */
type Outcome = 'applied' | 'unchanged' | 'older';

/** Applies one message: later ones of the same ticket find what it made. */
function applyMessage(ticket: Ticket, message: TicketMessage): Outcome {
  const { at } = message;
  if (at !== undefined) {
    if (ticket.at !== undefined && at < ticket.at) return 'older';
    ticket.isNewlyTimed ||= at !== ticket.at;
    ticket.at = at;
  }
  const isValid = message.isValid ?? ticket.isValid;
  const entrou = message.entrou ?? ticket.entrou;
  const setor = message.setor ?? ticket.setor;
  if (isValid === ticket.isValid && entrou === ticket.entrou && setor === ticket.setor) return 'unchanged';
  Object.assign(ticket, { isValid, entrou, setor, isChanged: true });
  return 'applied';
}

/** What a request did: every message is counted once. */
export interface Summary {
  readonly messages: number;
  readonly applied: number;
  readonly created: number;
  readonly unchanged: number;
  readonly older: number;
  /** Those that changed nothing, the older ones first. */
  readonly withoutEffect: readonly WithoutEffect[];
  /** How many more of them there were. */
  readonly withoutEffectOmitted: number;
}

interface WithoutEffect {
  readonly message: number;
  readonly line: number;
  readonly id: string;
  readonly outcome: 'unchanged' | 'older';
  /** Of one that is older: of what. */
  readonly lastAt?: string;
}

/** @param created ids of tickets that its first message has made; each is taken out when that comes. */
export function applyMessages(
  messages: readonly NumberedMessage[],
  tickets: ReadonlyMap<string, Ticket>,
  created: Set<string>,
): Summary {
  const counts = { applied: 0, created: 0, unchanged: 0, older: 0 };
  const listed: { unchanged: WithoutEffect[]; older: WithoutEffect[] } = { unchanged: [], older: [] };
  for (const message of messages) {
    const { id, line, position } = message;
    const ticket = tickets.get(id);
    if (!ticket) throw new Error(`the ticket of message ${position} is missing`);
    const outcome = applyMessage(ticket, message);
    if (created.delete(id)) {
      counts.created += 1;
      continue;
    }
    counts[outcome] += 1;
    if (outcome === 'applied' || listed[outcome].length === MAX_LISTED_WITHOUT_EFFECT) continue;
    const lastAt = outcome === 'older' && ticket.at !== undefined ? { lastAt: ticket.at } : {};
    listed[outcome].push({ message: position, line, id, outcome, ...lastAt });
  }
  const withoutEffect = [...listed.older, ...listed.unchanged].slice(0, MAX_LISTED_WITHOUT_EFFECT);
  return {
    messages: messages.length,
    ...counts,
    withoutEffect,
    withoutEffectOmitted: counts.unchanged + counts.older - withoutEffect.length,
  };
}
