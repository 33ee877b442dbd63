import { drawBoard } from './draw-board.tsx';
import { board } from './main.ts';

// React has just been read: what the server has answered meanwhile comes first.
setTimeout(() => drawBoard(document, board));
