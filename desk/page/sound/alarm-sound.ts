import { createStore, type ReadableStore } from '../../../page/store.ts';

/** `blocked`: the sound is switched on, but the browser plays nothing before a press. */
export type SoundState = 'off' | 'on' | 'blocked';

export interface AlarmSound extends ReadableStore<SoundState> {
  /** Must be called at a press: browsers let no page start a sound by itself. */
  readonly switchOn: () => void;
  readonly switchOff: () => void;
  /** Plays nothing unless it is on. */
  readonly play: (tone: ToneName) => void;
}

type ToneName = keyof typeof TONES;

interface Dependencies {
  /** May throw, which leaves the sound blocked. */
  readonly openAudio: () => AudioContext;
  /** The tab's storage; may throw. */
  readonly storage: () => Pick<Storage, 'getItem' | 'setItem'>;
  readonly document: Pick<Document, 'addEventListener'>;
}

const KEY = 'triagem.desk-sound';
/** An allowed sound starts at once; one that has not started by then waits for a press. */
const STARTS_WITHIN_MS = 500;
const LOUDNESS = 0.5;

const TONES = {
  /** Two short tones, which stand out from a crowd and a radio. */
  alarm: { seconds: 0.45, fromHz: [880, 1_175], toHz: null },
  /** A tone that rises three times, like the siren that clears a building; it differs from an alarm's. */
  evacuation: { seconds: 3, fromHz: [500, 500, 500], toHz: 1_200 },
} as const;

/** The sound is off until it is switched on in this tab; after a reload it stays on, but is usually blocked. */
export function createAlarmSound({ openAudio, storage, document }: Dependencies): AlarmSound {
  const state = createStore<SoundState>('off');
  let isWanted = false;
  let audio: AudioContext | undefined;

  const show = (): void => {
    if (!isWanted) state.set('off');
    else state.set(audio?.state === 'running' ? 'on' : 'blocked');
  };
  const start = (): void => {
    try {
      if (!audio) {
        audio = openAudio();
        audio.addEventListener('statechange', show);
      }
      audio.resume().then(show, show);
      setTimeout(show, STARTS_WITHIN_MS);
    } catch {
      show();
    }
  };
  const want = (wanted: boolean): void => {
    isWanted = wanted;
    try {
      storage().setItem(KEY, wanted ? 'on' : 'off');
    } catch {
      // A browser without storage forgets the choice with a reload.
    }
  };
  for (const press of ['pointerdown', 'keydown'] as const) {
    document.addEventListener(
      press,
      () => {
        if (isWanted && audio?.state !== 'running') start();
      },
      true,
    );
  }
  if (wasWanted(storage)) {
    isWanted = true;
    start();
  }
  return {
    ...state,
    switchOn() {
      want(true);
      start();
    },
    switchOff() {
      want(false);
      show();
      void audio?.suspend().catch(() => {});
    },
    play(name) {
      if (state.get() === 'on' && audio) playOn(audio, TONES[name]);
    },
  };
}

function wasWanted(storage: Dependencies['storage']): boolean {
  try {
    return storage().getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

function playOn(audio: AudioContext, { seconds, fromHz, toHz }: (typeof TONES)[ToneName]): void {
  const fromS = audio.currentTime;
  const loudness = audio.createGain();
  loudness.connect(audio.destination);
  loudness.gain.setValueAtTime(0, fromS);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, fromS + 0.01);
  loudness.gain.setValueAtTime(LOUDNESS, fromS + seconds - 0.05);
  loudness.gain.linearRampToValueAtTime(0, fromS + seconds);
  const tone = audio.createOscillator();
  tone.type = 'triangle';
  const stepS = seconds / fromHz.length;
  for (const [place, hertz] of fromHz.entries()) {
    tone.frequency.setValueAtTime(hertz, fromS + place * stepS);
    // A ramp ends just before the next step, which would otherwise begin at the same instant.
    if (toHz !== null) tone.frequency.linearRampToValueAtTime(toHz, fromS + (place + 0.99) * stepS);
  }
  tone.connect(loudness);
  tone.start(fromS);
  tone.stop(fromS + seconds);
}
