/** Attributes of an input for names and other exact text: the browser neither completes nor corrects what is typed. */
export const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
/** The order of the parts of inputs that are side by side: hints below, so that the inputs are in one line. */
export const hintBelow: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description']
