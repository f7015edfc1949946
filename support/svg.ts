/** What the icon tests need to know of an SVG. */
interface Svg {
	width: number;
	height: number;
	/** Every paint, as relative luminance (0 black, 1 white). */
	luminances: number[];
}

/** WCAG relative luminance of `#rgb` or `#rrggbb`. */
export function luminance(color: string): number {
	const hex = color.slice(1);
	const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
	const [red, green, blue] = [0, 2, 4]
		.map((start) => parseInt(full.slice(start, start + 2), 16) / 255)
		.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG contrast ratio of two luminances. */
export function contrast(one: number, other: number): number {
	return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Reads view box and paints; masks are no paint. */
export function readSvg(text: string): Svg {
	const viewBox =
		/viewBox="([^"]+)"/
			.exec(text)?.[1]
			.split(/[\s,]+/)
			.map(Number) ?? [];
	const painted = text.replace(/<mask\b[\s\S]*?<\/mask>/g, '');
	const paints = [...painted.matchAll(/(?:fill|stroke)="(#[0-9a-fA-F]{3,6}|currentColor)"/g)];
	return {
		width: viewBox[2],
		height: viewBox[3],
		luminances: paints.map(([, color]) => (color === 'currentColor' ? 0 : luminance(color))),
	};
}
