import { drawBoard } from '../../../board/page/draw-board.tsx';
import { boards, documents } from './main.ts';

for (const [index, board] of boards.entries()) drawBoard(documents[index] ?? document, board);
