/** The code that tests agents against a filter. It is a module of its own because only filtered lists load it. */
export { filterTest } from '@svc/api/filter'
