/** Attributes of an input for names and other exact text: the browser neither completes nor corrects what is typed. */
export const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
/** For inputs beside each other: hints of different lengths are below, so that the inputs are in one line. */
export const hintBelow: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description']
