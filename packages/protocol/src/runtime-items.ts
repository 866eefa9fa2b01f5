/**
 * The name of the health item that a runtime reports if the disk of its machine is full or nearly full. The service
 * recognises this health item by its name.
 */
export const diskSpace = 'Space on disk'
