import { drawBoard } from './draw-board.tsx';
import { board } from './main.ts';

// Messages that arrived while React was parsed are handled before the first drawing.
setTimeout(() => drawBoard(document, board));
