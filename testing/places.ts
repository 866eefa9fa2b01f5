/** The folders of the repository in which source files, tests and documents lie. */
export const places = ['packages', 'building', 'testing', 'scripts', 'docs', 'conformance', 'examples', 'sdk', 'bench']
