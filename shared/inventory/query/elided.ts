/** Stands for a clause that says nothing; it is left out of the clause around it. */
export const ELIDED = '\u0000elided';
