export const FleetPage = () => null
