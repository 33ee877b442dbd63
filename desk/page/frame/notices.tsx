import { useState } from 'react';
import { useStore } from '../../../page/use-store.ts';
import { RECORD_NOTICE_ID } from '../actions/record-unavailable.ts';
import type { OpenDesk } from '../open-desk.ts';
import { useWhyLost } from './lost-line.tsx';
import { readingWords } from './reading-words.ts';
import { recordWords } from './record-words.ts';

const SPLIT =
  'Dois bancos de dados contam ao mesmo tempo: estes números podem ser do que já não vale. Chame quem cuida do servidor.';

/** Notices about the desk itself, if any; a recorded minute has no current figures. */
export function Notices({ desk, isReplayed }: { readonly desk: OpenDesk; readonly isReplayed: boolean }) {
  const record = useStore(desk.page, ({ view }) => view?.state.record);
  const readings = useStore(desk.page, ({ view }) => readingWords(view?.state.readings));
  const isSplit = useStore(desk.page, ({ view }) => view?.state.isSplit);
  const pending = useStore(desk.page, (page) => page.pending);
  const newBuild = useStore(desk.page, (page) => page.newBuild);
  const words = record && recordWords(record);
  const lost = useWhyLost(desk);
  return (
    <div className="notices" role="status">
      {lost !== null && (
        <p className="notice" data-caution="">
          {lost}
        </p>
      )}
      {words && (
        <p
          className="notice"
          id={RECORD_NOTICE_ID}
          data-caution={record.isUnread || record.state.kind === 'away' ? '' : undefined}
        >
          {words}
        </p>
      )}
      {isSplit && !isReplayed && (
        <p className="notice" data-caution="">
          {SPLIT}
        </p>
      )}
      {readings !== undefined && !isReplayed && (
        <p className="notice" data-caution="">
          {readings}
        </p>
      )}
      {pending > 0 && (
        <p className="notice">
          {pending === 1 ? 'enviando 1 lançamento…' : `enviando ${pending} lançamentos…`}
        </p>
      )}
      {newBuild !== undefined && <NewVersion key={newBuild} load={desk.loadNewBuild} />}
    </div>
  );
}

/** The operator decides, as loading a new version switches the sound off and drops typed text. */
function NewVersion({ load }: { readonly load: OpenDesk['loadNewBuild'] }) {
  const [isMissing, setMissing] = useState(false);
  return (
    <p className="notice">
      {isMissing
        ? 'A versão nova ainda não está completa no servidor. '
        : 'Há uma versão nova desta página. Carregá-la desliga o som. '}
      <button
        type="button"
        onClick={() => {
          void load().then((isLoading) => setMissing(!isLoading));
        }}
      >
        {isMissing ? 'tentar de novo' : 'carregar agora'}
      </button>
    </p>
  );
}
