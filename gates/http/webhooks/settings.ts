import type { Environment } from '../../cli/command.ts';
import { UsageError } from '../../cli/errors.ts';
import { readEvent } from '../../events/event.ts';

/** Where pretix is asked, and for which event. */
export interface PretixSettings {
  /** The event here that gets the tickets. */
  readonly eventId: string;
  /** The address of the event in pretix's REST API, without a slash at its end. */
  readonly eventUrl: string;
  readonly organizer: string;
  readonly event: string;
  /** The check-in list whose entries count. */
  readonly list: number;
  readonly token: string;
}

export interface WebhookSettings {
  /** One for each webhook of Hi.Events. */
  readonly hiEventsSecrets: readonly string[];
  readonly pretix: PretixSettings | undefined;
}

const PRETIX_URL =
  /^(https?:\/\/[^?#\s@]+\/api\/v1\/organizers\/([\w.-]+)\/events\/([\w.-]+))\/checkinlists\/(\d{1,15})\/?$/;
const MIN_SECRET_LENGTH = 8;

/** @throws UsageError that names what is wrong. */
export function readWebhookSettings(env: Environment): WebhookSettings {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const hiEventsSecrets = (read('GATES_HI_EVENTS_SECRET') ?? '').split(',').filter((text) => text !== '');
  if (hiEventsSecrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new UsageError(
      'GATES_HI_EVENTS_SECRET is too short: it is the secret that Hi.Events shows of the webhook; several with commas.',
    );
  }
  const url = read('GATES_PRETIX_URL');
  if (url === undefined) return { hiEventsSecrets, pretix: undefined };
  const [, eventUrl = '', organizer = '', event = '', list] = PRETIX_URL.exec(url) ?? [];
  if (list === undefined) {
    throw new UsageError(
      `GATES_PRETIX_URL is "${url}" instead of https://HOST/api/v1/organizers/ORGANIZER/events/EVENT/checkinlists/LIST.`,
    );
  }
  const token = read('GATES_PRETIX_TOKEN');
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError('GATES_PRETIX_URL needs GATES_PRETIX_TOKEN, the API token of a team in pretix.');
  }
  const eventId = readEvent(undefined, env);
  if (eventId === undefined)
    throw new UsageError('GATES_PRETIX_URL needs EVENT_ID, the event that gets the tickets.');
  return { hiEventsSecrets, pretix: { eventId, eventUrl, organizer, event, list: Number(list), token } };
}
