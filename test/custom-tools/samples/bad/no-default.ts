export const factory = () => []
