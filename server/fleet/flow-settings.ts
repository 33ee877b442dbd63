import { type EventPlace, readEventId, readSimulated, readTimeZone } from '../board-config.ts';
import type { Venue } from '../../domain/venue.ts';
import type { SettingReader } from '../setting-reader.ts';
import { readWebhookSettings } from '../../desk/webhook/webhook-settings.ts';
import type { WebhookTarget } from '../../desk/webhook/webhook-target.ts';

/** The flow that a counter watches: that of one event, whose record it writes as long as no other counter does. */
export interface CounterFlowConfig {
  readonly eventId: string;
  /** An IANA name: TIME_ZONE, else the venue's. */
  readonly timeZone: string;
  /** The event is simulated. */
  readonly demo: boolean;
  readonly recordUrl: string;
  /** Where alarms are sent; `undefined`: nowhere. */
  readonly alarmWebhook: WebhookTarget | undefined;
}

/** Settings of the flow alone. So is EVENT_ID where a counter counts every event. */
const FLOW_SETTINGS = ['TIME_ZONE', 'SIMULATED', 'ALARM_WEBHOOK_URL', 'ALARM_WEBHOOK_SECRET'];

/** `undefined` without RECORD_DATABASE_URL: counters count, and watch no flow. */
export function readFlowSettings(
  settings: SettingReader,
  venue: Venue | undefined,
  eventIn: EventPlace,
): CounterFlowConfig | undefined {
  const { faults } = settings;
  const recordUrl = settings.connectionString('RECORD_DATABASE_URL');
  if (recordUrl === undefined) {
    const countsAll = eventIn !== 'firestore';
    const counted = countsAll ? 'counts every event, and' : 'counts its event, and';
    const flowOf = countsAll ? 'the flow of one' : 'its flow';
    for (const name of [...(countsAll ? ['EVENT_ID'] : []), ...FLOW_SETTINGS]) {
      if (settings.text(name) === undefined) continue;
      faults.push(`${name} is set: a counter ${counted} watches ${flowOf} where RECORD_DATABASE_URL is set`);
    }
    return undefined;
  }
  return {
    eventId: readEventId(settings, eventIn),
    timeZone: readTimeZone(settings.text('TIME_ZONE') ?? venue?.timeZone, faults),
    demo: readSimulated(settings.text('SIMULATED'), faults),
    recordUrl,
    alarmWebhook: readWebhookSettings(
      {
        url: settings.text('ALARM_WEBHOOK_URL'),
        secret: settings.text('ALARM_WEBHOOK_SECRET'),
        hasDesk: true,
      },
      faults,
    ),
  };
}
