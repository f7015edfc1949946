module.exports = { referenceDecoder };

/**
 * Returns a function that replaces `&eacute;`, `&#233;` and `&#xe9;` in HTML by the characters that they stand for. It
 * knows the names of HTML 4, and frequent ones of HTML 5. Other references stay as they are.
 */
function referenceDecoder() {
	const { named, old } = namedCharacters();
	const { fromCodePoint } = String;
	return decoded;

	/**
	 * @param {string} text
	 * @param {boolean} [isAttribute] in addresses such as `?a=1&copy=2`, `&copy` is no reference
	 */
	function decoded(text, isAttribute) {
		if (!text.includes('&')) return text;
		return text.replace(
			/&(?:#(\d+);?|#x([\da-f]+);?|([a-z][a-z\d]*)(;?))/gi,
			(whole, decimal, hex, name, end, at) => {
				if (!name) return character(decimal ? Number(decimal) : parseInt(hex, 16));
				const found = end && named.get(name);
				if (found) return found;
				// Old names need no semicolon, not even before other letters.
				for (let length = name.length < 6 ? name.length : 6; length > 1; length--) {
					const start = name.slice(0, length);
					if (!old.has(start)) continue;
					const next = text[at + 1 + length] ?? '';
					if (isAttribute && /[=a-z\d]/i.test(next)) return whole;
					return named.get(start) + whole.slice(1 + length);
				}
				return whole;
			},
		);
	}

	/** @param {number} code */
	function character(code) {
		// Numbers of Windows-1252 are meant here.
		const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'[code - 0x80];
		const isNone = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
		return isNone ? '\ufffd' : (windows ?? fromCodePoint(code));
	}
}

/** Returns the names of characters, and which of them need no semicolon. */
function namedCharacters() {
	/** @type {Map<string, string>} */
	const named = new Map();
	const { fromCharCode } = String;
	/** @type {(first: number, names: string) => void} */
	const inOrder = (first, names) => {
		for (const [at, name] of names.split(' ').entries())
			named.set(name, fromCharCode(first + at));
	};
	inOrder(
		160,
		'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
	);
	for (const [name, letter] of ['amp&', 'lt<', 'gt>', 'quot"', 'AMP&', 'LT<', 'GT>', 'QUOT"'].map(
		(pair) => [pair.slice(0, -1), pair.slice(-1)],
	)) {
		named.set(name, letter);
	}
	named.set('COPY', '©').set('REG', '®');
	const old = new Set(named.keys());
	inOrder(
		913,
		'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega',
	);
	inOrder(
		945,
		'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega',
	);
	const others =
		"apos' ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f ndash– mdash— horbar― lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… mldr… permil‰ prime′ Prime″ lsaquo‹ rsaquo› oline‾ frasl⁄ euro€ imageℑ weierp℘ realℜ trade™ TRADE™ numero№ alefsymℵ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ uArr⇑ rArr⇒ dArr⇓ hArr⇔ forall∀ part∂ exist∃ empty∅ nabla∇ isin∈ notin∉ ni∋ prod∏ sum∑ minus− lowast∗ radic√ prop∝ infin∞ ang∠ and∧ or∨ cap∩ cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ nsub⊄ sube⊆ supe⊇ oplus⊕ otimes⊗ perp⊥ sdot⋅ lceil⌈ rceil⌉ lfloor⌊ rfloor⌋ lang⟨ rang⟩ loz◊ spades♠ clubs♣ hearts♥ diams♦ fnofƒ circˆ tilde˜ OEligŒ oeligœ ScaronŠ scaronš YumlŸ thetasymϑ upsihϒ pivϖ half½ check✓ cross✗ star☆ starf★ phone☎ Tab\t excl! num# dollar$ percnt% lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; equals= quest? commat@ lbrack[ lsqb[ bsol\\ rbrack] rsqb] lowbar_ grave` lbrace{ lcub{ verbar| vert| rbrace} rcub} hyphen‐ dash‐ Amacr\u0100 amacr\u0101 Abreve\u0102 abreve\u0103 Aogon\u0104 aogon\u0105 Cacute\u0106 cacute\u0107 Ccaron\u010c ccaron\u010d Dcaron\u010e dcaron\u010f Dstrok\u0110 dstrok\u0111 Emacr\u0112 emacr\u0113 Eogon\u0118 eogon\u0119 Ecaron\u011a ecaron\u011b Gbreve\u011e gbreve\u011f Imacr\u012a imacr\u012b Idot\u0130 imath\u0131 inodot\u0131 Lstrok\u0141 lstrok\u0142 Nacute\u0143 nacute\u0144 Ncaron\u0147 ncaron\u0148 Omacr\u014c omacr\u014d Odblac\u0150 odblac\u0151 Rcaron\u0158 rcaron\u0159 Sacute\u015a sacute\u015b Scedil\u015e scedil\u015f Tcedil\u0162 tcedil\u0163 Tcaron\u0164 tcaron\u0165 Umacr\u016a umacr\u016b Uring\u016e uring\u016f Udblac\u0170 udblac\u0171 Zacute\u0179 zacute\u017a Zdot\u017b zdot\u017c Zcaron\u017d zcaron\u017e";
	// JavaScript's white space has more characters than the space, such as ensp.
	for (const pair of others.split(' ')) named.set(pair.slice(0, -1), pair.slice(-1));
	return { named, old };
}
