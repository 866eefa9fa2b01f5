/** Selects agents as the service does. Only a filtered list needs it, so it is loaded when there is one. */
export { selector } from '@svc/api/filter'
