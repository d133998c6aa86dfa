import { fileURLToPath } from 'node:url';

/** The folder with the Ruby code of the port; a bundle has it next to itself. */
export const SIDE_FOLDER = fileURLToPath(new URL('./side', import.meta.url));
