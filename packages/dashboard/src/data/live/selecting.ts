/** Selects agents as the service does. Only a filtered list needs it, so it is loaded when there is one. */
export { filterTest } from '@svc/api/filter'
