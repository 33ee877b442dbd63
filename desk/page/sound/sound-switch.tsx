import { useEffect, useRef } from 'react';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView } from '../desk-view.ts';
import { createAlarmSound, type SoundState } from './alarm-sound.ts';
import { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
import { callingAlarms } from '../alarms/announcement.ts';
import { callOf } from '../alarms/calling-alarms.ts';
import { NO_TONE, nextEvacuation, nextTone } from './tone-schedule.ts';

/** One for the page, however often its header is drawn anew. */
const sound = createAlarmSound({
  openAudio: () => new AudioContext(),
  storage: () => sessionStorage,
  document,
});

const WORDS: Readonly<Record<SoundState, string>> = {
  off: 'som: desligado',
  on: 'som: ligado',
  blocked: 'som: bloqueado pelo navegador',
};

const HINTS: Readonly<Record<SoundState, string>> = {
  off: 'ligar o som dos alarmes neste aparelho',
  on: 'desligar o som dos alarmes neste aparelho',
  blocked: 'tocar em qualquer lugar da página desbloqueia; aqui, desliga',
};

/** The evacuation that this page has shown last, `undefined` before it has shown anything. */
let knownEvacuation: number | null | undefined;

/**
 * Whether alarms are heard on this device, and all else that calls: the announcement and the tab's title. It stands apart from
 * the alarms, to be given what is now also while a recorded minute is drawn.
 */
export function SoundSwitch({ view }: { readonly view: DeskView }) {
  const state = useStore(sound, (current) => current);
  const tones = useRef(NO_TONE);
  const wasOn = useRef(false);
  useEffect(() => {
    if (view.replay !== null) return;
    // Without a server nobody can say "ciente": what was heard is not heard again.
    const mayRepeat = view.status.kind !== 'no-connection';
    const calls = callingAlarms(view).map(callOf);
    const next = nextTone(tones.current, state === 'on' ? calls : [], performance.now(), mayRepeat);
    tones.current = next.state;
    // Whoever switches it on hears how it sounds.
    const isFirst = state === 'on' && !wasOn.current;
    wasOn.current = state === 'on';
    const evacuation = nextEvacuation(knownEvacuation, view.state.evacuatedAtMs);
    knownEvacuation = evacuation.known;
    if (evacuation.isDue) sound.play('evacuation');
    else if (next.isDue || isFirst) sound.play('alarm');
  }, [view, state]);
  return (
    <div className="sound-switch">
      <AlarmAnnouncer view={view} />
      <button
        type="button"
        title={HINTS[state]}
        data-sound={state}
        onClick={() => (state === 'off' ? sound.switchOn() : sound.switchOff())}
      >
        {WORDS[state]}
      </button>
      {state === 'on' && (
        <button type="button" onClick={() => sound.play('alarm')}>
          testar
        </button>
      )}
    </div>
  );
}
