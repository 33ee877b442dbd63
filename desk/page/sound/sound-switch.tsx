import { useEffect, useRef } from 'react';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView } from '../desk-view.ts';
import { createAlarmSound, type SoundState } from './alarm-sound.ts';
import { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
import { callingAlarms } from '../alarms/announcement.ts';
import { callOf } from '../alarms/calling-alarms.ts';
import { NO_TONE, nextEvacuation, nextTone } from './tone-schedule.ts';

/** The page has one sound, however often its header is drawn anew. */
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

/** The evacuation that this page has displayed last, `undefined` before it has displayed anything. */
let knownEvacuation: number | null | undefined;

/**
 * Switches the alarms' sound on this device, and announces alarms. It stands apart from the alarms because it follows the
 * live view even while a recorded minute is displayed.
 */
export function SoundSwitch({ view }: { readonly view: DeskView }) {
  const state = useStore(sound, (current) => current);
  const tones = useRef(NO_TONE);
  const wasOn = useRef(false);
  useEffect(() => {
    if (view.replay !== null) return;
    // Without a server nobody can acknowledge, so no tone repeats.
    const mayRepeat = view.status.kind !== 'no-connection';
    const calls = callingAlarms(view).map(callOf);
    const next = nextTone(tones.current, state === 'on' ? calls : [], performance.now(), mayRepeat);
    tones.current = next.state;
    // Switching the sound on plays it once.
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
