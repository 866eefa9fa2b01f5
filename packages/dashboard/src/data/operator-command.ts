/**
 * The command that the operator types on the machine of the service. The build of the package that installs
 * `svc-server` writes another command into `index.html`.
 */
export const operatorCommand = document.documentElement.dataset.command ?? 'npx svc-server'
