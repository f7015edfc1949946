/** Pages as they are in the world, small, and the text that a reader of each page sees. */

export interface PageInTheWorld {
	html: string;
	text: string;
	title?: string;
}

const raw = String.raw;

export const PAGES: Record<string, PageInTheWorld> = {
	'a German news page': {
		html: raw`<!DOCTYPE html>
<html lang="de"><head><meta charset="utf-8"><title>Brücke gesperrt &ndash; Stadtbote</title>
<script>window.ads = "<div>Anzeige</div>";</script><style>p { color: red }</style></head>
<body><header><a href="/">Stadtbote</a><nav><ul><li>Politik<li>Sport</ul></nav></header>
<main><article><header><p class="kicker">Verkehr</p><h1>Brücke für drei Wochen gesperrt</h1>
<p>Von <a rel="author" href="/m">Marta Köhler</a>, <time datetime="2026-03-01">1.&nbsp;März 2026</time></p></header>
<figure><img src="b.jpg" alt="Die Brücke am Morgen"><figcaption>Foto: Stadt</figcaption></figure>
<p>Die Brücke wird <strong>ab Montag</strong> gesperrt. Fuß&shy;gänger dürfen weiter.</p>
<aside><h2>Umleitung</h2><p>Über die B&nbsp;7.</p></aside></article></main>
<aside><h2>Meistgelesen</h2><p>Wetter</p></aside><footer>Impressum</footer></body></html>`,
		title: 'Brücke gesperrt – Stadtbote',
		text: `Verkehr

# Brücke für drei Wochen gesperrt

Von Marta Köhler, 1.\u00a0März 2026

Die Brücke am Morgen

Foto: Stadt

Die Brücke wird ab Montag gesperrt. Fußgänger dürfen weiter.

## Umleitung

Über die B\u00a07.`,
	},
	'a French page with opening hours in a table': {
		html: raw`<html lang=fr><body><div id=contenu><h1>Horaires</h1><p>«&nbsp;Ouvert toute l&rsquo;année&nbsp;»</p>
<table border=1><tr><th>Jour<th>Heures<th>Adresse
<tr><td>Lundi<td>09:00<br>17:00<td><p>Rue de l'Église 1</p><p>12345 Ville</p>
<tr><td>Mardi<td><ul><li>10:00<li>18:00</ul><td>&mdash;</table><p>T&eacute;l. 01&nbsp;02</div></body></html>`,
		text: `# Horaires

«\u00a0Ouvert toute l’année\u00a0»

| Jour | Heures | Adresse |
| Lundi | 09:00 17:00 | Rue de l'Église 1 12345 Ville |
| Mardi | 10:00 18:00 | — |

Tél. 01\u00a002`,
	},
	'a Korean shop without main, with a teaser as article': {
		html: raw`<html lang="ko"><head><title>사다리</title></head><body><header>로그인</header><nav>홈</nav>
<div class="product"><h1>알루미늄 사다리</h1><p>튼튼한 알루미늄으로 만든 접이식 사다리입니다. 집과 사무실에서 사용하세요.</p>
<div class="price"><del>99,000</del><ins>79,000</ins>원</div>
<label>색상 <select><option>빨강<option>파랑</select></label><button>장바구니</button><button>구매</button></div>
<article class="teaser">신제품 소식</article><footer>회사 소개</footer></body></html>`,
		title: '사다리',
		text: `# 알루미늄 사다리

튼튼한 알루미늄으로 만든 접이식 사다리입니다. 집과 사무실에서 사용하세요.

99,000 79,000원

색상 빨강 파랑 장바구니 구매

신제품 소식`,
	},
	'a forum with an article for each post': {
		html: raw`<body><div class="top">Forum &raquo; Help</div><section>
<article><header><b>anna</b> wrote:</header><p>My printer says <code>E_42</code>. What can I do about this strange message on its display?</p></article>
<article><header><b>ben</b> wrote:</header><blockquote><p>My printer says E_42.</p></blockquote><p>Turn it off &amp; on again, and wait for a minute.</p></article>
<article hidden><p>This post was deleted.</p></article></section>
<form><textarea>Your answer</textarea><input type=submit value=Send></form></body>`,
		text: `anna wrote:

My printer says E_42. What can I do about this strange message on its display?

ben wrote:

My printer says E_42.

Turn it off & on again, and wait for a minute.`,
	},
	'a page of a documentation generator with code': {
		html: raw`<html><head><title>max_connections</title></head><body><div role="navigation">Contents</div><div role="main">
<section id="a"><h1>max_connections<a class="headerlink" href="#a" title="Permalink">¶</a></h1>
<p>Set <code class="literal"><span class="pre">max_connections</span></code> in <code>C:\Temp\new_file.txt</code>. See <a href="#f">[1]</a> and 2 * 3 * 4.</p>
<div class="highlight"><pre><span></span><span class="c1"># install it first</span>
<span class="n">pip</span> install  db_tool
    <span class="o">--user</span></pre></div>
<p># This line begins with a number sign.</p>
<dl class="option"><dt id="o"><code>--port</code> &lt;number&gt;<a class="headerlink" href="#o">#</a></dt><dd><p>The port. By default 5432.</p></dd>
<dt>--host</dt><dd>The host.</dd></dl></section></div></body></html>`,
		title: 'max_connections',
		text: raw`# max_connections

Set max_connections in C:\Temp\new_file.txt. See [1] and 2 * 3 * 4.

 # install it first
pip install  db_tool
    --user

 # This line begins with a number sign.

--port <number>
The port. By default 5432.
--host
The host.`,
	},
	'an old theme with tables for layout': {
		html: raw`<HTML><HEAD><TITLE>Welcome</TITLE></HEAD><BODY BGCOLOR=#FFFFFF><CENTER><TABLE WIDTH="100%"><TR><TD WIDTH=150 VALIGN=TOP>
<A HREF="a.htm">Home</A><BR><A HREF="b.htm">Prices</A></TD><TD><H1>Welcome</H1><FONT SIZE=2>We sell ladders.<P>Call us at <B>555</B>-1234.
<TABLE BORDER=1><TR><TH>Size</TH><TH>Price</TH></TR><TR><TD>Small</TD><TD>79</TD></TR></TABLE></FONT></TD></TR></TABLE></CENTER></BODY></HTML>`,
		title: 'Welcome',
		text: `Home
Prices

# Welcome

We sell ladders.

Call us at 555-1234.

| Size | Price |
| Small | 79 |`,
	},
	'nested lists': {
		html: raw`<main><h2>Steps</h2><ol start=3><li>Open the lid.<ul><li>Left<li>Right<ul><li><p>Far right</p></ul></ul><li value=7><p>Close it.</p><p>Wait.</p><li>Done</ol></main>`,
		text: `## Steps

3. Open the lid.
  - Left
  - Right
    - Far right
7. Close it.
  Wait.
8. Done`,
	},
	'questions and answers that open': {
		html: raw`<main><h1>FAQ</h1><details><summary>Is it free?</summary>Yes</details><details open><summary><h3>How long?</h3></summary><p>Two days.</p></details>
<dialog>Cookies?</dialog><template><p>{{ name }}</p></template><div style="color: red; display: none">secret</div><noscript>Turn on JavaScript</noscript></main>`,
		text: `# FAQ

Is it free?

Yes

### How long?

Two days.`,
	},
	'markup that is broken': {
		html: raw`<p>One<p>Two <b>bold <i>both</b> italic</i> 1 < 2 & 3 > 2 AT&T &copy 2026 &name; &#8364;5 &#x41; &#150; <>x</>
<div><span>Three</div>Four</span></p></section><table><td>A<td>B<tr><td>C<td>D</table>Five<br>Six<br/>Seven</br>Eight<img alt="A <sign>" src=x>Nine<a href="x`,
		text: `One

Two bold both italic 1 < 2 & 3 > 2 AT&T © 2026 &name; €5 A – <>x

Three

Four

| A | B |
| C | D |

Five
Six
Seven
Eight A <sign> Nine`,
	},
	'comments, scripts and attributes that look like tags': {
		html: raw`<main><!-- <p>no</p> --><!--><p title="a > b" data-x='</p>'>Yes</p><!-- a -- b --!><p>Also</p>
<script>document.write("<div></main>"); if (a < b) x = "</div>";</script><style>p::before { content: "</main>" }</style>
<textarea><b>raw</b></textarea><iframe><p>old browsers</p></iframe><svg><title>Icon</title><style>a{}</style><text>Chart</text></svg><![CDATA[ hidden ]]><?php echo 1 ?><p>End</p></main>`,
		text: `Yes

Also

<b>raw</b> Chart

End`,
	},
	'a page of a wiki': {
		html: raw`<html lang=cs><head><title>Žirafa – Encyklopedie</title></head><body><div id=content role=main><h1 id=firstHeading>Žirafa</h1>
<div id=toc><input type=checkbox><h2>Obsah</h2><ul><li><a href="#a"><span>1</span> <span>Popis</span></a></li></ul></div>
<table class="infobox"><caption>Žirafa</caption><tbody><tr><th>Řád</th><td>sudokopytníci</td></tr><tr><th>Hmotnost</th><td>1 200<sup>[2]</sup> kg</td></tr></tbody></table>
<p>Má 5,5<sup>1</sup> m, plochu 10<sup>5</sup> m<sup>2</sup> a H<sub>2</sub>O.</p>
<h2><span id=a>Popis</span><span class=edit>[<a href="?edit">editovat</a>]</span></h2><p>Vysoká.</p></div></body></html>`,
		title: 'Žirafa – Encyklopedie',
		text: `# Žirafa

## Obsah

- 1 Popis

Žirafa

| Řád | sudokopytníci |
| Hmotnost | 1 200[2] kg |

Má 5,5 1 m, plochu 10 5 m2 a H2O.

## Popis[editovat]

Vysoká.`,
	},
	'a page of a builder, of nothing but div and span': {
		html: raw`<body><div class="wrap"><div class="row"><div class="col"><div><span>Our </span><span>team</span></div></div><div class="col"><div>Anna</div><div>Sales</div></div></div>
<div>Street 1</div><div>12345 Town</div><div><a href=a>One</a> <a href=b>Two</a></div></div></body>`,
		text: `Our team

Anna

Sales

Street 1

12345 Town

One Two`,
	},
	'a page whose main is empty': {
		html: raw`<body><main id="skip"></main><div><h1>Contact</h1><p>Write to us.</p></div><footer>Legal</footer></body>`,
		text: `# Contact

Write to us.`,
	},
	'an XHTML page': {
		html: raw`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>Manual</title><script type="text/javascript">//<![CDATA[
x = "</p>";
//]]></script></head><body><h1>Manual</h1><p>One<br />Two</p><hr /><p>Three</p><div /><p>Four</p></body></html>`,
		title: 'Manual',
		text: `# Manual

One
Two

Three

Four`,
	},
	'a page with a menu within its main part': {
		html: raw`<main><nav aria-label="Breadcrumb"><a href="/">Home</a></nav><h1>Delivery</h1><p>Two days.</p><div role=navigation>Next</div><footer>Last change: 1 March</footer></main>`,
		text: `# Delivery

Two days.

Last change: 1 March`,
	},
	'a page of a mail archive': {
		html: raw`<html><head><title>[list] Re: #42</title></head><body><H1>[list] Re: #42</H1><B>Ann</B> <A HREF="mailto:a">a at b.example</A><HR>
<PRE>
&gt; # Does it work?
# Yes, it does.

  --
  Ann
</PRE><HR></body></html>`,
		title: '[list] Re: #42',
		text: `# [list] Re: #42

Ann a at b.example

> # Does it work?
 # Yes, it does.

  --
  Ann`,
	},
	'a Japanese page with readings': {
		html: raw`<html lang=ja><body><h1>お知らせ</h1><p><ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby>を
読む。<wbr>長い<span>文</span>です。</p></body>`,
		text: `# お知らせ

漢字(かんじ)を 読む。長い文です。`,
	},
	'a recipe with headings in a table and empty cells': {
		html: raw`<main><table class=layout role=presentation><tr><td><h2>Zutaten</h2><ul><li>1&frac12; kg Mehl</li><li>&nbsp;</li></ul></td><td><h2>Zubereitung</h2><p>Rühren.</p></td></tr></table>
<table><thead><tr><th></th><th>Menge</th></tr></thead><tbody><tr><td>Salz</td><td></td></tr><tr><td colspan=2>&nbsp;</td></tr></tbody></table></main>`,
		text: `## Zutaten

- 1½ kg Mehl

## Zubereitung

Rühren.

|  | Menge |
| Salz |  |`,
	},
	'a page of frames and a head that is never closed': {
		html: raw`<html><head><title>Old page</title><meta name=robots content=all><p>Text without a body tag.</p><h1>A<br>title</h1>`,
		title: 'Old page',
		text: `Text without a body tag.

# A title`,
	},
	'a page with formulas and menus of choices': {
		html: raw`<main><p>E = <math><semantics><mrow><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">mc^2</annotation></semantics></math></p>
<datalist><option value=a>A</datalist><p>Choose<select><optgroup label=Sizes><option>S</option><option>M</option></optgroup></select>now<input type=hidden value=1></p><video>No video</video><object>Get the PDF</object></main>`,
		text: `E = mc2

Choose S M now

Get the PDF`,
	},
};
