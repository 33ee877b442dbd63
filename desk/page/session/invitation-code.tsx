import { encodeQR } from 'qr';
import { useEffect, useState } from 'react';
import type { DeskSession, Invitation } from './desk-session.ts';
import { invitationLink } from './link-fragment.ts';
import { SignInError } from './sign-in-error.tsx';
import type { SignInRefusal } from './sign-in-words.ts';

export interface InvitationCodeProps {
  readonly session: DeskSession;
}

/** An invitation lasts this long from the request: the page's clock may differ from the server's. */
const LASTS_MS = 2 * 60 * 1_000;

/** A code with which a phone opens this desk, after it has asked for a name. */
export function InvitationCode({ session }: InvitationCodeProps) {
  const [attempt, setAttempt] = useState(1);
  return <FreshCode key={attempt} session={session} onRenew={() => setAttempt(attempt + 1)} />;
}

function FreshCode(props: { readonly session: DeskSession; readonly onRenew: () => void }) {
  const { session, onRenew } = props;
  const [received, setReceived] = useState<{
    readonly answer: Invitation | SignInRefusal;
    readonly untilMs: number;
  }>();
  useEffect(() => {
    const untilMs = performance.now() + LASTS_MS;
    void session.invite().then((answer) => {
      setReceived({ answer, untilMs });
      if ('message' in answer && answer.status === 401) void session.ended();
    });
  }, [session]);
  if (!received) return null;
  const { answer, untilMs } = received;
  if ('invitation' in answer)
    return <Code invitation={answer.invitation} untilMs={untilMs} onRenew={onRenew} />;
  return (
    <>
      <SignInError refusal={answer} />
      <button type="button" onClick={onRenew}>
        tentar de novo
      </button>
    </>
  );
}

function Code(props: {
  readonly invitation: string;
  readonly untilMs: number;
  readonly onRenew: () => void;
}) {
  const { invitation, untilMs, onRenew } = props;
  const leftSeconds = useSecondsUntil(untilMs);
  if (leftSeconds === 0) {
    return (
      <>
        <p>Este código venceu.</p>
        <button type="button" className="primary" onClick={onRenew}>
          novo código
        </button>
      </>
    );
  }
  const { hostname } = window.location;
  return (
    <>
      <QrCode text={invitationLink(invitation, window.location)} />
      <p>
        Aponte a câmera do telefone. Vale uma vez, por mais <b>{minutesAndSeconds(leftSeconds)}</b>.
      </p>
      {isThisMachineOnly(hostname) && (
        <p className="hint">
          {`Este endereço (${hostname}) só existe neste computador: para um telefone, abra a mesa pelo endereço da rede.`}
        </p>
      )}
    </>
  );
}

/** Dark on light in either scheme, with the quiet zone of four modules: cameras need both. */
function QrCode({ text }: { readonly text: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label="código do convite"
      shapeRendering="crispEdges"
    >
      <path className="qr-ground" d={`M0 0h${rows.length}v${rows.length}h-${rows.length}z`} />
      <path className="qr-modules" d={path} />
    </svg>
  );
}

function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function isThisMachineOnly(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

/** The whole seconds until `atMs` of `performance.now()`. */
function useSecondsUntil(atMs: number): number {
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => {
      const now = performance.now();
      setNowMs(now);
      if (now >= atMs) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [atMs]);
  return Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}
