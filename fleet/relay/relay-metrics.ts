import type { MetricAdders } from '../../board/metrics/server-metrics.ts';

export interface RelayMetrics {
  readonly counter?: {
    readonly publisher: {
      readonly events: number;
      readonly statesPublished: number;
    };
    readonly answers: { readonly answered: number; readonly refused: number };
    /** The names of counters that count another primary. */
    readonly elsewhere: () => readonly string[];
    readonly link: Link;
  };
  readonly edge?: {
    readonly relay: {
      readonly figures: {
        readonly states: number;
        readonly refused: Readonly<Record<string, number>>;
        readonly conflicts: number;
      };
      answering(): readonly string[];
    };
    readonly link: Link;
  };
}

interface Link {
  readonly connections: number;
  readonly notConnectedReason: string | undefined;
}

export function addRelayMetrics(adders: MetricAdders, { counter: counting, edge }: RelayMetrics): void {
  const { gauge, counter } = adders;
  const link = counting?.link ?? edge?.link;
  if (!link) return;
  gauge('triagem_relay_connected', '1 while there is a connection to NATS, else 0.', () =>
    link.notConnectedReason === undefined ? 1 : 0,
  );
  counter('triagem_relay_reconnects_total', 'Connections to NATS made after the first.', () =>
    Math.max(0, link.connections - 1),
  );
  if (counting) {
    const { publisher, answers, elsewhere } = counting;
    gauge('triagem_events', 'Events that have counts.', () => publisher.events);
    gauge(
      'triagem_relay_other_primaries',
      'Counters that count another primary of the same database, as edges report: more than 0 is a split.',
      () => elsewhere().length,
    );
    counter(
      'triagem_relay_states_published_total',
      'Slices of states published to the edges.',
      () => publisher.statesPublished,
    );
    counter('triagem_relay_answers_total', 'Questions of edges that were answered.', () => answers.answered);
    counter(
      'triagem_relay_asks_refused_total',
      'Questions of edges that were refused: malformed, of another version, or with a foreign reply subject.',
      () => answers.refused,
    );
  }
  if (edge) {
    const { relay } = edge;
    gauge('triagem_relay_counters', 'Counters that answer.', () => relay.answering().length);
    counter('triagem_relay_states_received_total', 'Slices of states received.', () => relay.figures.states);
    counter(
      'triagem_relay_messages_refused_total',
      'Messages that were malformed, too large, of another version or subject.',
      () => Object.values(relay.figures.refused).reduce((sum, count) => sum + count, 0),
    );
    counter(
      'triagem_relay_conflicts_total',
      'States of two counters that differ at one position: one of them counts wrong.',
      () => relay.figures.conflicts,
    );
  }
}
