import { useRef } from 'react';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { AlarmCard } from './alarm-card.tsx';
import { callOf, inOrder, isCalling } from './calling-alarms.ts';
import { InForce } from './in-force.tsx';
import { useSteadyPress } from './use-steady-press.ts';
import { watchWords } from './watch-words.ts';

/** Past so many the cards stand closer, and what to do is said of the first only. */
const ROOMY = 3;

/** What needs somebody, first; then what somebody knows of; then what operators have set. */
export function AlarmPanel({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const { state } = view;
  const alarms = inOrder(state);
  const calling = alarms.filter((alarm) => isCalling(alarm, state));
  const mayPress = useSteadyPress(alarms.map(callOf).join());
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const isDense = alarms.length > ROOMY;
  /** Whoever has said "ciente" goes on with the next one. */
  const focusAfter = (id: string) => {
    const buttons = [
      ...(list.current?.querySelectorAll<HTMLElement>('[data-state="calling"] .alarm-foot .primary') ?? []),
    ];
    const next = buttons.find((button) => button.closest<HTMLElement>('.alarm')?.dataset['alarm'] !== id);
    (next ?? heading.current)?.focus();
  };
  return (
    <section className="alarm-panel" aria-labelledby="alarms-heading">
      <h2 id="alarms-heading" ref={heading} tabIndex={-1}>
        {headingWords(calling.length, alarms.length)}
      </h2>
      {alarms.length > 0 && (
        <ol className="alarms" ref={list} data-dense={isDense ? '' : undefined}>
          {alarms.map((alarm, place) => (
            <AlarmCard
              key={alarm.id}
              alarm={alarm}
              view={view}
              send={send}
              isDense={isDense}
              hasAdvice={!isDense || place === 0}
              mayPress={mayPress}
              onAcknowledged={() => focusAfter(alarm.id)}
            />
          ))}
        </ol>
      )}
      <p className="alarm-watch">
        {alarms.length === 0 && view.status.kind === 'live' && 'nenhum alarme · '}
        {watchWords(view)}
      </p>
      <InForce view={view} />
    </section>
  );
}

function headingWords(calling: number, all: number): string {
  if (calling > 0) return `alarmes · ${calling} ${calling === 1 ? 'novo' : 'novos'}`;
  return all > 0 ? 'alarmes · nenhum novo' : 'alarmes';
}
